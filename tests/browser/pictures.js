// Writes two pictures for the README to the given directory: the front page, and a dark series. See scripts/pictures.
import { join } from 'node:path';
import { launch } from './browser.js';

const PICTURES = [
  { name: 'front.png', path: '/', colorScheme: 'light', locale: 'en-US', height: 740 },
  { name: 'series.png', path: '/series/ipca-12m?compare=selic', colorScheme: 'dark', locale: 'en-US', height: 760 },
];

const chrome = await launch();
for (const { name, path, height, ...options } of PICTURES) {
  const context = await chrome.newContext({ baseURL: process.env.LASTRO_URL, viewport: { width: 1100, height }, ...options });
  const page = await context.newPage();
  await page.goto(path, { waitUntil: 'networkidle' });
  await page.screenshot({ path: join(process.argv[2], name) });
  await context.close();
}
await chrome.close();
