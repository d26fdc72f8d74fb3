// The paths of a new reader, counted in clicks, and the calculator compared with the API.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBrowser, register } from './browser.js';

const { LASTRO_URL: URL } = process.env;

let browser;
before(async () => { browser = await openBrowser(URL); });
after(() => browser?.close());

test('from the front page to a working key: two clicks and two fields', async () => {
  await browser.visit({}, async (page) => {
    await page.goto('/');
    await page.getByRole('link', { name: 'Get a free key' }).first().click();
    await register(page, 'Ana Souza', 'ana@example.com');
    const key = (await page.locator('#key').filter({ hasText: 'lastro_' }).textContent()).trim();
    const answer = await fetch(`${URL}/api/v1/plans/usage`, { headers: { 'X-API-Key': key } });
    assert.equal(answer.status, 200);
  });
});

for (const javaScriptEnabled of [true, false]) {
  test(`from the front page to a corrected amount: one click (${javaScriptEnabled ? 'with' : 'without'} scripts)`, async () => {
    await browser.visit({ javaScriptEnabled }, async (page) => {
      await page.goto('/');
      await page.getByLabel('Amount').press('Enter');
      await page.locator('.result .figure').waitFor();
      const asked = new globalThis.URL(page.url());
      const query = new URLSearchParams(asked.search);
      query.set('amount', query.get('amount').replaceAll(',', ''));
      const answer = await fetch(`${URL}/api/v1/calc/correction?${query}`);
      const shown = await page.locator('.result .figure data').getAttribute('value');
      assert.equal(Number(shown), (await answer.json()).result);
    });
  });
}

const KINDS = [
  ['/calculator', { index: 'inpc', from: '2025-12', to: '2026-05', amount: '2500.50' }, 'correction'],
  ['/calculator?kind=accumulation', { rate: 'selic', rate_percent: '110', from: '2026-03-02', to: '2026-08-31', amount: '10000' }, 'accumulation'],
  ['/calculator?kind=legal-interest', { from: '2026-03-02', to: '2026-08-31', amount: '10000' }, 'legal-interest'],
  ['/calculator?kind=savings', { from: '2026-03-02', to: '2026-08-31', amount: '10000' }, 'savings'],
  ['/calculator?kind=rent', { index: 'igpm', month: '2026-08', amount: '2000', negative: 'ignore' }, 'rent'],
];

for (const [path, inputs, kind] of KINDS) {
  test(`the calculator's ${kind} is that of the API`, async () => {
    await browser.visit({}, async (page) => {
      await page.goto(path);
      for (const [name, value] of Object.entries(inputs)) {
        const field = page.locator(`#calculation [name="${name}"]`);
        if (await field.evaluate((element) => element.tagName === 'SELECT')) await field.selectOption(value);
        else await field.fill(value);
      }
      await page.getByRole('button', { name: 'Calculate' }).click();
      await page.locator('.result').waitFor();
      const answer = await (await fetch(`${URL}/api/v1/calc/${kind}?${new URLSearchParams(inputs)}`)).json();
      assert.equal(Number(await page.locator('.result .figure data').getAttribute('value')), answer.result);
      assert.equal(await page.locator('.receipt tbody tr').count(), answer.receipt.length);
      // The address contains the calculation, and a reload shows the same.
      await page.reload();
      assert.equal(Number(await page.locator('.result .figure data').getAttribute('value')), answer.result);
    });
  });
}

test('a debt is pasted, calculated in place and checked', async () => {
  for (const javaScriptEnabled of [true, false]) {
    await browser.visit({ javaScriptEnabled, locale: 'pt-BR' }, async (page) => {
      await page.goto('/calculator?kind=debt');
      await page.locator('#instalments').fill('10/01/2026\t1.000,00\tjaneiro\n10/02/2026\t1.000,00\tfevereiro');
      await page.locator('#to').fill('2026-06-15');
      await page.getByRole('button', { name: 'Calcular' }).click();
      await page.locator('.result .figure').waitFor();
      assert.equal(await page.locator('.receipt tbody').first().locator('tr:not(.sum)').count(), 2);
      await page.getByRole('button', { name: 'Verificar este código' }).click();
      // The sample's values are nobody's.
      await page.locator('[data-verdict="sample"]').waitFor();
    });
  }
});

/** The number of A4 pages that the page prints on. */
async function printedPages(page) {
  const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
  return pdf.match(/\/Type \/Page\b/g).length;
}

test('a correction over nine years prints on at most three pages, without the form', async () => {
  await browser.visit({ locale: 'pt-BR' }, async (page) => {
    // The sample has five years: all of them, and then the same rows again up to the number of nine years.
    await page.goto('/calculator/correction?index=ipca&from=2021-10&to=2026-09&amount=123456.78');
    const rows = page.locator('.receipt tbody tr');
    assert.equal(await rows.count(), 60);
    await page.locator('.receipt tbody').evaluate((body) => {
      for (const row of [...body.rows].slice(0, 9 * 12 - body.rows.length)) body.append(row.cloneNode(true));
    });
    assert.equal(await rows.count(), 9 * 12);
    assert.ok(await printedPages(page) <= 3, 'nine years of months');
    await page.emulateMedia({ media: 'print' });
    for (const hidden of ['#calculation', '.tabs', '.bar', '.result .code']) {
      assert.equal(await page.locator(hidden).first().isVisible(), false, hidden);
    }
    await page.locator('.document-title').waitFor();
  });
});

test('parties or case are printed to the last letter', async () => {
  // As wide as the text of an A4 page.
  await browser.visit({ locale: 'pt-BR', viewport: { width: 688, height: 900 } }, async (page) => {
    await page.goto('/calculator/correction?index=ipca&from=2026-01&to=2026-06&amount=1000');
    const names = 'MARIA APARECIDA DOS SANTOS WANDERLEY x CONDOMÍNIO EDIFÍCIO WASHINGTON, proc. 0001234-56.2024.8.26.0100, ';
    for (const text of [names.repeat(3).slice(0, 200), 'W'.repeat(200)]) {
      await page.emulateMedia({ media: null });
      await page.locator('#parties').fill(text);
      await page.emulateMedia({ media: 'print' });
      const field = await page.locator('#parties').evaluate((element) => ({
        value: element.value,
        cut: element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight,
      }));
      assert.deepEqual(field, { value: text, cut: false });
    }
  });
});

test('a receipt of long ago is there without a key', async () => {
  await browser.visit({}, async (page) => {
    await page.goto('/calculator/correction?index=ipca&from=2023-01&to=2026-06&amount=1000');
    assert.equal(await page.locator('.receipt tbody tr').count(), 42);
  });
});

test('a calculation in place can be read in the other language', async () => {
  await browser.visit({ locale: 'en-US' }, async (page) => {
    await page.goto('/calculator');
    await page.locator('#from').fill('2026-01');
    await page.locator('#amount').fill('250.50');
    await page.locator('#amount').press('Enter');
    await page.locator('.result').waitFor();
    const result = await page.locator('.result .figure data').getAttribute('value');
    await page.getByRole('link', { name: 'Português' }).click();
    await page.getByRole('heading', { name: 'Resultado' }).waitFor();
    assert.equal(await page.locator('.result .figure data').getAttribute('value'), result);
  });
});

test('what cannot be calculated is said where the result would stand', async () => {
  for (const javaScriptEnabled of [true, false]) {
    await browser.visit({ javaScriptEnabled, refusals: true, locale: 'pt-BR' }, async (page) => {
      await page.goto('/calculator');
      await page.locator('#from').fill('1900-01');
      await page.locator('#amount').press('Enter');
      await page.getByText('não há valor para janeiro de 1900').waitFor();
      assert.equal(await page.locator('#from').inputValue(), '1900-01');
    });
  }
});
