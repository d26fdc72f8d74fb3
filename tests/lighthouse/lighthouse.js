// Prints the score of each page and category and the lost points; fails below the bar. scripts/lighthouse runs it.
import { launch } from 'chrome-launcher';
import lighthouse from 'lighthouse';

const URL = process.env.LASTRO_URL;
const PATHS = ['/', '/series/ipca', '/calculator', '/calculator?kind=debt', '/indices', '/explore', '/explore/companies/PETR4'];
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'];
const BAR = 95;

const chrome = await launch({ chromePath: '/usr/bin/chromium', chromeFlags: ['--headless=new', '--no-sandbox', '--disable-gpu'] });
let failed = false;
try {
  for (const path of PATHS) {
    const { lhr } = await lighthouse(URL + path, { port: chrome.port, onlyCategories: CATEGORIES });
    if (lhr.runtimeError) throw new Error(`${path}: ${lhr.runtimeError.message}`);
    const points = Object.values(lhr.categories).map(({ id, score }) => [id, Math.round(score * 100)]);
    console.log(path.padEnd(16), points.map(([id, score]) => `${id} ${score}`).join(', '));
    for (const { auditRefs } of Object.values(lhr.categories)) {
      for (const { id, weight } of auditRefs) {
        const { score, title, displayValue = '' } = lhr.audits[id];
        if (weight > 0 && score !== null && score < 0.9) console.log(`    ${title} ${displayValue}`);
      }
    }
    failed ||= points.some(([, score]) => score < BAR);
  }
} finally {
  await chrome.kill();
}
process.exitCode = failed ? 1 : 0;
