// The reader's key: entered once, kept for the session, sent in a header, never in an address, removed with one click.
//
// LASTRO_BRONZE_KEY and LASTRO_GOLD_KEY hold keys of the running service; scripts/test creates them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, picture, register, sendFromReference } from './browser.js';

const { LASTRO_URL: URL, LASTRO_BRONZE_KEY: BRONZE, LASTRO_GOLD_KEY: GOLD } = process.env;

let browser;
before(async () => {
  assert.ok(BRONZE && GOLD, 'LASTRO_BRONZE_KEY and LASTRO_GOLD_KEY must be set; run scripts/test');
  browser = await openBrowser(URL);
});
after(() => browser?.close());

/** Runs a visit in which no address may contain a key. */
const visit = (options, key, stay) => browser.visit(options, async (page, context) => {
  const addresses = [];
  page.on('request', (request) => addresses.push(request.url(), request.headers().referer ?? ''));
  page.on('framenavigated', (frame) => addresses.push(frame.url()));
  await stay(page, context);
  addresses.push(await page.evaluate(() => location.href));
  assert.deepEqual(addresses.filter((address) => address.includes(key.slice(16))), []);
  assert.equal(await page.evaluate((secret) => JSON.stringify({ ...localStorage, cookie: document.cookie }).includes(secret), key.slice(16)), false);
});

const enter = async (page, key) => {
  await page.getByLabel('Your API key').fill(key);
  await page.getByRole('button', { name: 'Use this key' }).click();
};

test('usage is shown to the holder of the key, and forgotten at a click', async () => {
  await visit({}, GOLD, async (page) => {
    await page.goto('/usage');
    await enter(page, GOLD);
    await page.locator('#report').waitFor();
    assert.equal(await page.locator('#plan').textContent(), 'Gold');
    assert.equal(await page.locator('#rate').textContent(), '500');
    assert.ok(await page.locator('#days svg').isVisible());
    assert.match(await page.locator('[data-key-held]').first().textContent(), new RegExp(`${GOLD.slice(0, 15)}_…`));
    assert.equal((await page.content()).includes(GOLD), false);
    await picture(page, 'usage-with-key');
    await page.reload();
    await page.locator('#report').waitFor();
    await page.getByRole('button', { name: 'Forget it' }).first().click();
    assert.equal(await page.locator('#report').isVisible(), false);
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
    await page.reload();
    assert.ok(await page.getByLabel('Your API key').isVisible());
  });
});

test('what is no key is told beside the field and never sent', async () => {
  await visit({}, GOLD, async (page) => {
    await page.goto('/usage');
    await enter(page, 'hunter2');
    await page.getByText('a key begins with lastro_').waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  });
});

test('a key that nobody knows is told so', async () => {
  await visit({ refusals: true }, GOLD, async (page) => {
    await page.goto('/usage');
    await enter(page, `${GOLD.slice(0, -1)}${GOLD.endsWith('x') ? 'y' : 'x'}`);
    await page.getByText('not known here').waitFor();
  });
});

test('a key that nobody knows does not stand in the way of a calculation', async () => {
  const unknown = `${GOLD.slice(0, -1)}${GOLD.endsWith('x') ? 'y' : 'x'}`;
  await visit({ refusals: true }, GOLD, async (page) => {
    await page.goto('/calculator');
    await page.evaluate((key) => sessionStorage.setItem('lastro-key', key), unknown);
    await page.reload();
    await page.getByRole('button', { name: 'Calculate' }).click();
    await page.getByText('not known here').waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
    await page.getByRole('button', { name: 'Calculate' }).click();
    await page.locator('.result').waitFor();
  });
});

test('a key that is used on a page can be forgotten there', async () => {
  await visit({}, GOLD, async (page) => {
    await page.goto('/usage');
    await enter(page, GOLD);
    await page.locator('#report').waitFor();
    for (const path of ['/', '/series/ipca', '/calculator', '/pricing', '/status']) {
      await page.goto(path);
      assert.ok(await page.getByRole('button', { name: 'Forget it' }).isVisible(), path);
    }
    await page.getByRole('button', { name: 'Forget it' }).click();
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  });
});

/** Holds back the first matching request until the returned function is called. */
const holdFirst = async (page, pattern) => {
  let release;
  let held = false;
  const released = new Promise((resolve) => { release = resolve; });
  await page.route(pattern, async (route) => {
    const isFirst = !held;
    held = true;
    if (isFirst) await released;
    await route.continue().catch(() => {});
  });
  return release;
};

test('what is shown is what was asked for last, whichever answer comes first', async () => {
  await visit({}, GOLD, async (page) => {
    await page.goto('/usage');
    await enter(page, GOLD);
    await page.locator('#report').waitFor();
    await page.goto('/series/ipca');
    const release = await holdFirst(page, '**/chart?*');
    await page.getByRole('button', { name: 'All' }).click();
    await page.getByRole('button', { name: '5 years' }).click();
    await page.waitForFunction(() => document.querySelector('[data-range="5y"]').ariaPressed === 'true');
    const late = page.waitForResponse((response) => response.url().includes('range=all'));
    release();
    await late;
    await page.waitForTimeout(200);
    assert.equal(await page.getByRole('button', { name: '5 years' }).getAttribute('aria-pressed'), 'true');
    assert.equal(await page.locator('#chart').getAttribute('aria-busy'), null);
  });
});

test('a report that comes after its key was forgotten is not shown', async () => {
  await visit({}, GOLD, async (page) => {
    await page.goto('/usage');
    const release = await holdFirst(page, '**/api/v1/plans/usage');
    await enter(page, GOLD);
    await page.getByRole('button', { name: 'Forget it' }).first().click();
    const late = page.waitForResponse((response) => response.url().endsWith('/usage'));
    release();
    await late;
    await page.waitForTimeout(200);
    assert.equal(await page.locator('#report').isVisible(), false);
    assert.equal((await page.content()).includes('Gold'), false);
  });
});

test('companies are searched with a Bronze key, and filings need Gold', async () => {
  await visit({ refusals: true }, BRONZE, async (page) => {
    await page.goto('/explore');
    await enter(page, BRONZE);
    await page.getByRole('searchbox').fill('energia');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('heading', { name: 'Companies', exact: true }).waitFor();
    await picture(page, 'explore-results');
    await page.locator('.hit .title').first().click();
    await page.getByText('Filings of a company are part of Gold').waitFor();
    await picture(page, 'explore-prompt');
    await page.goBack();
    await page.getByRole('heading', { name: 'Filings', exact: true }).waitFor();
  });
});

test('a company is shown with its filings and links to the regulator', async () => {
  await visit({}, GOLD, async (page) => {
    await page.goto('/explore');
    await enter(page, GOLD);
    await page.getByRole('searchbox').fill('energia');
    await page.keyboard.press('Enter');
    await page.locator('.hit .title').first().click();
    const link = page.getByRole('link', { name: 'Document at the regulator' }).first();
    await link.waitFor();
    assert.match(await link.getAttribute('rel'), /noreferrer/);
    await picture(page, 'company');
  });
});

test('without a key the prompt is shown and nothing is asked', async () => {
  await browser.visit({}, async (page) => {
    const asked = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto('/explore#q=energia');
    await page.getByText('need a key of the Bronze plan').waitFor();
    assert.deepEqual(asked.filter((address) => address.includes('/api/')), []);
  });
});

test('five years of a series need a Gold key, which is used at once', async () => {
  await visit({ refusals: true }, GOLD, async (page) => {
    await page.goto('/series/ipca');
    await page.getByRole('button', { name: '5 years' }).click();
    await page.getByText('More than a year is for Gold').waitFor();
    await picture(page, 'history-prompt');
    await enter(page, GOLD);
    await page.waitForFunction(() => document.querySelectorAll('#chart tbody tr').length > 13);
    assert.equal(await page.getByRole('button', { name: '5 years' }).getAttribute('aria-pressed'), 'true');
    await page.getByLabel('Compare with').selectOption('selic');
    await page.locator('.plot .line.second').waitFor();
    await picture(page, 'series-five-years');
  });
});

test('the reference uses the key that was entered elsewhere, and shows no made-up one', async () => {
  await visit({}, GOLD, async (page) => {
    await page.goto('/usage');
    await enter(page, GOLD);
    await page.locator('#report').waitFor();
    await page.goto('/docs#tag/filings/GET/api/v1/filings/recent');
    assert.equal((await sendFromReference(page, '/api/v1/filings/recent')).status(), 200);
    assert.equal((await page.content()).includes('YOUR_SECRET'), false);
  });
});

test('a new key is at hand on the other pages', async () => {
  await browser.visit({}, async (page) => {
    await page.goto('/pricing');
    await register(page, 'Ana', 'ana@example.com');
    await page.locator('#issued').getByRole('link', { name: 'Usage of your key' }).click();
    await page.locator('#report').waitFor();
    assert.equal(await page.locator('#plan').textContent(), 'Free');
  });
});
