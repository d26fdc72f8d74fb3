// A browser that keeps watch: every visit fails on a request to another origin, an error in the console,
// a script that throws, or a violation of the content security policy.
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
];

let visitors = 0;

/** Opens Debian's Chromium on pages of `origin`. */
export async function openBrowser(origin) {
  const chrome = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });
  return {
    close: () => chrome.close(),

    /** Runs `stay` on a new page. `refusals`: the visit provokes 4xx answers, which the console notes. */
    async visit({ refusals = false, ...options }, stay) {
      visitors += 1;
      // Each visitor has an address, and so a quota, of its own.
      const extraHTTPHeaders = { 'X-Forwarded-For': `10.1.0.${visitors}` };
      const context = await chrome.newContext({ baseURL: origin, extraHTTPHeaders, viewport: { width: 1280, height: 900 }, ...options });
      context.setDefaultTimeout(20_000);
      const page = await context.newPage();
      const faults = watch(page, origin, refusals);
      try {
        await stay(page);
        await page.waitForLoadState('networkidle');
      } finally {
        await context.close();
      }
      assert.deepEqual(faults, []);
    },
  };
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
  page.on('requestfailed', (request) => faults.push(`failed ${request.url()}: ${request.failure()?.errorText}`));
  return faults;
}
