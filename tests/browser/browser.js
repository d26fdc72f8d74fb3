// A browser with checks: every visit fails on a request to another origin, an error in the console,
// a script that throws, or a violation of the content security policy.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
];

let visitors = 0;
// Each test file runs in its own process, and must not use up the quota of another.
const network = readdirSync(dirname(process.argv[1])).indexOf(basename(process.argv[1]));

/** Debian's Chromium without the parts for a screen: pages cost half of the processor that they cost the whole browser. */
export const launch = () => chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: FLAGS });

/** Opens a browser on pages of `origin`. */
export async function openBrowser(origin) {
  const chrome = await launch();
  return {
    close: () => chrome.close(),

    /** Runs `stay` on a new page. `refusals` allows 4xx responses, which the console reports as errors. */
    async visit({ refusals = false, ...options }, stay) {
      visitors += 1;
      // Each visitor has its own address, and so its own quota.
      const extraHTTPHeaders = { 'X-Forwarded-For': `10.1.${network}.${visitors}` };
      // A click into a page that still scrolls smoothly may press a button and release it elsewhere.
      const still = { reducedMotion: 'reduce', viewport: { width: 1280, height: 900 } };
      const context = await chrome.newContext({ baseURL: origin, extraHTTPHeaders, ...still, ...options });
      // The reference takes four seconds to draw on an idle machine, and many times that beside other gates.
      context.setDefaultTimeout(60_000);
      const page = await context.newPage();
      const faults = watch(page, origin, refusals);
      try {
        await stay(page, context);
        await page.waitForLoadState('networkidle');
      } catch (error) {
        throw new Error(`${error.message}\n${await seen(page)}\n${faults.join('\n')}`, { cause: error });
      } finally {
        await context.close();
      }
      assert.deepEqual(faults, []);
    },
  };
}

/** Fills in a form, sends it, and waits for the result. */
export async function submit(page, fill, button, result) {
  await fill();
  await page.getByRole('button', { name: button }).click();
  await page.locator(result).first().waitFor();
}

/** Registers with the form of /pricing and waits for the key. */
export async function register(page, name, email) {
  const fill = async () => {
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('E-mail').fill(email);
  };
  await submit(page, fill, 'Create my key', '#issued');
}

/** Sends an operation's request from the API reference, waits until the response is shown, and returns it. */
export async function sendFromReference(page, path, key) {
  const operation = page.locator(`[id$="GET${path}"]`).first();
  // By the keyboard: sections above are still drawn and move the button, perhaps between the press and the release of a mouse.
  await operation.getByRole('button', { name: /test request/i }).first().press('Enter');
  const dialog = page.getByRole('dialog');
  if (key) await dialog.locator('input.scalar-password-input').first().fill(key);
  const [answer] = await Promise.all([
    page.waitForResponse((response) => new URL(response.url()).pathname === path),
    dialog.getByRole('button', { name: /^send/i }).first().press('Enter'),
  ]);
  // Closed sooner, the dialog cancels the request.
  await dialog.getByText(String(answer.status())).first().waitFor();
  return answer;
}

/** Takes a picture for people to look at, into the directory LASTRO_SCREENSHOTS if that is set. No test looks at it. */
export async function picture(page, name, { fullPage = true } = {}) {
  const directory = process.env.LASTRO_SCREENSHOTS;
  if (directory) await page.screenshot({ path: join(directory, `${name}.png`), fullPage });
}

/** The address and the text that a reader has before their eyes. */
async function seen(page) {
  const text = await page.locator('main').innerText({ timeout: 1000 }).catch((error) => error.message);
  return `at ${page.url()}:\n${text}`;
}

function watch(page, origin, refusals) {
  const faults = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(data|blob|about):/.test(url)) faults.push(`asked ${url}`);
  });
  page.on('console', (message) => {
    const refused = refusals && /status of 4\d\d/.test(message.text());
    if (message.type() === 'error' && !refused) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`script: ${error.message}`));
  // Leaving a page aborts its requests.
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    if (reason !== 'net::ERR_ABORTED') faults.push(`failed ${request.url()}: ${reason}`);
  });
  return faults;
}
