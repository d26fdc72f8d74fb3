// The pages in a real browser: their content and their requests, none of which may leave the origin.
//
// LASTRO_URL is a running service that trusts 127.0.0.1 as a proxy.
// scripts/test starts the service and sets both.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, picture, register, sendFromReference } from './browser.js';

const URL = process.env.LASTRO_URL;
const KEY = /^lastro_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/;
const TAGS = ['Health', 'Companies', 'Filings', 'Market data', 'Search', 'Plans', 'Pages'];

let browser;
before(async () => {
  assert.ok(URL, 'LASTRO_URL must be set; run scripts/test');
  browser = await openBrowser(URL);
});
after(() => browser?.close());


const fillForm = async (page, name, email) => {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('E-mail').fill(email);
};

/** Uses the keyboard, because without scripts the driver cannot detect that a button is stable. */
const submitForm = (page) => page.getByLabel('E-mail').press('Enter');

/** Asserts that the service accepts the key shown on the page. */
const assertShownKeyWorks = async (page) => {
  const shown = page.locator('#key');
  await shown.filter({ hasText: 'lastro_' }).waitFor();
  const key = (await shown.textContent()).trim();
  assert.match(key, KEY);
  const answer = await fetch(`${URL}/api/v1/plans/usage`, { headers: { 'X-API-Key': key } });
  assert.equal(answer.status, 200);
};

for (const colorScheme of ['light', 'dark']) {
  test(`the pricing page shows four plans (${colorScheme})`, async () => {
    await browser.visit({ colorScheme }, async (page) => {
      await page.goto('/pricing');
      const plans = page.locator('.plan');
      assert.equal(await plans.count(), 4);
      for (const [place, [name, price, rate]] of [['Free', '$0', '30'], ['Bronze', '$29', '100'], ['Gold', '$99', '500'], ['Platinum', '$299', '2000']].entries()) {
        const text = (await plans.nth(place).innerText()).replaceAll(',', '');
        for (const part of [name, price, rate]) assert.ok(text.includes(part), `${part} in ${text}`);
      }
      await picture(page, `pricing-${colorScheme}`);
    });
  });
}

test('the theme button turns light into dark', async () => {
  await browser.visit({ colorScheme: 'light' }, async (page) => {
    await page.goto('/pricing');
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page.getByRole('button', { name: 'Switch to the dark theme' }).click();
    assert.notEqual(await background(), light);
    await page.reload();
    assert.notEqual(await background(), light, 'the choice is remembered');
  });
});

test('the form registers in place', async () => {
  await browser.visit({}, async (page) => {
    await page.goto('/pricing');
    await register(page, 'Ana Souza', 'ana@example.com');
    await assertShownKeyWorks(page);
    await picture(page, 'registered', { fullPage: false });
  });
});

test('the form registers without JavaScript', async () => {
  await browser.visit({ javaScriptEnabled: false }, async (page) => {
    await page.goto('/pricing');
    await fillForm(page, 'Ana Souza', 'ana@example.com');
    await submitForm(page);
    await assertShownKeyWorks(page);
    await picture(page, 'registered-without-javascript');
  });
});

test('what is wrong with a registration stands beside the field', async () => {
  for (const javaScriptEnabled of [true, false]) {
    await browser.visit({ javaScriptEnabled, refusals: true }, async (page) => {
      await page.goto('/pricing');
      // Valid for the browser, but not for the service.
      await fillForm(page, 'Ana', 'ana..souza@example.com');
      await submitForm(page);
      await page.locator('#email-error').filter({ hasText: 'e-mail' }).waitFor();
      assert.equal(await page.getByLabel('Name').inputValue(), 'Ana');
      assert.equal(await page.locator('#issued').isVisible(), false);
    });
  }
});

test('the reference shows every group of operations, and sends calls with and without a key', async () => {
  const body = JSON.stringify({ name: 'Ana', email: 'ana@example.com' });
  const registered = await fetch(`${URL}/api/v1/plans/register`, { method: 'POST', body });
  const { api_key: key } = await registered.json();
  await browser.visit({ colorScheme: 'dark' }, async (page) => {
    await page.goto('/docs#tag/market-data/GET/api/v1/market/selic/current');
    for (const tag of TAGS) await page.getByRole('heading', { name: tag, exact: true }).first().waitFor();
    await picture(page, 'docs-dark', { fullPage: false });
    const answer = await sendFromReference(page, '/api/v1/market/selic/current');
    assert.equal(answer.status(), 200);
    assert.equal(answer.headers()['x-plan'], 'free');
    await picture(page, 'docs-call', { fullPage: false });
    await page.keyboard.press('Escape');
    await page.goto('/docs#tag/plans/GET/api/v1/plans/usage');
    assert.equal((await sendFromReference(page, '/api/v1/plans/usage', key)).status(), 200);
    await picture(page, 'docs-call-with-key', { fullPage: false });
  });
});
