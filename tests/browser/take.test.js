// What readers take along from a page: values as CSV, pictures, addresses. Filters and companies have addresses too.
//
// LASTRO_GOLD_KEY and LASTRO_PLATINUM_KEY hold keys of the running service; scripts/test creates them.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { openBrowser, picture } from './browser.js';

const { LASTRO_URL: URL, LASTRO_GOLD_KEY: GOLD, LASTRO_PLATINUM_KEY: PLATINUM } = process.env;

let browser;
before(async () => {
  assert.ok(GOLD && PLATINUM, 'LASTRO_GOLD_KEY and LASTRO_PLATINUM_KEY must be set; run scripts/test');
  browser = await openBrowser(URL);
});
after(() => browser?.close());

/** Runs a visit on a page with the key in use. */
const withKey = (key, options, path, stay) => browser.visit(options, async (page, context) => {
  await page.addInitScript((held) => sessionStorage.setItem('lastro-key', held), key);
  await page.goto(path);
  await stay(page, context);
});

const saved = async (page, click) => {
  const [download] = await Promise.all([page.waitForEvent('download'), click()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
};

test('the values of a chart are saved as CSV, as a Brazilian Excel reads it', async () => {
  await withKey(PLATINUM, { locale: 'pt-BR' }, '/series/ipca', async (page) => {
    const { name, text } = await saved(page, () => page.getByRole('button', { name: 'Baixar em CSV' }).click());
    assert.match(name, /^lastro-ipca-.*\.csv$/);
    // Only the end: a byte order mark counts as white space.
    const [head, ...rows] = text.trimEnd().split('\r\n');
    assert.equal(head, '\uFEFFdate;value');
    assert.equal(rows.length, await page.locator('#chart tbody tr').count());
    assert.match(rows[0], /^\d{4}-\d\d-01;-?\d+,\d\d$/);
  });
  await withKey(PLATINUM, { locale: 'en-US' }, '/fx/usd-brl', async (page) => {
    const { text } = await saved(page, () => page.getByRole('button', { name: 'Download as CSV' }).click());
    assert.ok(text.startsWith('date,pair,buy,sell\r\n') && text.trim().split('\r\n').length > 100, text.slice(0, 80));
  });
});

test('CSV needs Platinum, which the page says', async () => {
  await withKey(GOLD, { refusals: true, locale: 'pt-BR' }, '/series/ipca', async (page) => {
    await page.getByRole('button', { name: 'Baixar em CSV' }).click();
    await page.getByText('faz parte do plano Platinum').waitFor();
  });
});

test('the picture of a chart is shown by an image element in both themes', async () => {
  for (const colorScheme of ['light', 'dark']) {
    await browser.visit({ locale: 'pt-BR', colorScheme }, async (page) => {
      for (const path of ['/series/ipca', '/series/selic', '/fx/usd-brl']) {
        await page.goto(path);
        const address = await page.getByRole('link', { name: 'Imagem (SVG)' }).getAttribute('href');
        const code = await page.locator('#embed').textContent();
        assert.ok(code.startsWith(`<img src="${URL}${address}" alt="`), code);
        const width = await page.evaluate((source) => new Promise((resolve) => {
          const image = new Image();
          image.onload = () => resolve(image.naturalWidth);
          image.onerror = () => resolve(0);
          image.src = source;
        }), address);
        assert.equal(width, 720, path);
        await page.goto(address);
        await picture(page, `picture${path.replaceAll('/', '-')}-${colorScheme}`, { fullPage: false });
      }
    });
  }
});

test('a button copies the address of what is shown', async () => {
  const copied = (page) => page.evaluate(() => navigator.clipboard.readText());
  const permissions = ['clipboard-read', 'clipboard-write'];
  await browser.visit({ permissions }, async (page) => {
    await page.goto('/series/ipca');
    await page.getByLabel('Compare with').selectOption('selic');
    await page.locator('.plot .line.second').waitFor();
    await page.getByRole('button', { name: 'Copy the link' }).click();
    assert.equal(await copied(page), `${URL}/series/ipca?compare=selic`);
    // A second click finds the button still saying so, and must not take that for its label.
    await page.getByRole('button', { name: 'Copied' }).click();
    await page.getByRole('button', { name: 'Copy the link' }).waitFor();
    await page.goto('/calculator');
    await page.locator('#from').fill('2026-01');
    await page.locator('#amount').press('Enter');
    await page.getByRole('button', { name: 'Copy the link of the calculation' }).click();
    assert.match(await copied(page), /\/calculator\/correction\?index=ipca&from=2026-01&/);
  });
});

test('the picture and its code show what the chart compares', async () => {
  const shown = async (page) => {
    const address = await page.getByRole('link', { name: 'Imagem (SVG)' }).getAttribute('href');
    assert.ok((await page.locator('#embed').textContent()).startsWith(`<img src="${URL}${address}" alt="`), address);
    return address;
  };
  await browser.visit({ locale: 'pt-BR' }, async (page) => {
    await page.goto('/series/ipca');
    const alone = await shown(page);
    await page.getByLabel('Comparar com').selectOption('selic');
    await page.locator('.plot .line.second').waitFor();
    const both = await shown(page);
    assert.equal(both, `${alone}&compare=selic`);
    await page.reload();
    assert.equal(await shown(page), both);
    await page.getByLabel('Comparar com').selectOption('');
    await page.locator('.plot .line.second').waitFor({ state: 'detached' });
    assert.equal(await shown(page), alone);
  });
});

test('the results of a search are saved as CSV', async () => {
  await withKey(PLATINUM, { locale: 'pt-BR' }, '/explore?q=energia', async (page) => {
    await page.locator('.hit').first().waitFor();
    const rows = async () => (await saved(page, () => page.getByRole('button', { name: 'Baixar em CSV' }).click())).text.trim().split('\r\n').length - 1;
    const before = await page.locator('.hit').count();
    assert.equal(await rows(), before);
    await page.getByRole('button', { name: 'Carregar mais' }).click();
    await page.waitForFunction((count) => document.querySelectorAll('.hit').length > count, before);
    assert.equal(await rows(), await page.locator('.hit').count());
    // A search for companies too is no feed of filings.
    assert.equal(await page.getByRole('button', { name: 'Criar feed (Atom)' }).isVisible(), false);
    await page.emulateMedia({ media: 'print' });
    for (const unprinted of ['.key-held', '#results > .button']) {
      assert.equal(await page.locator(`main ${unprinted}:visible`).count(), 0, unprinted);
    }
  });
});

test('a list that was asked for in vain offers no file, and names no company', async () => {
  await withKey(PLATINUM, { refusals: true, locale: 'pt-BR' }, '/explore?category=zzz&from=2026-01-01', async (page) => {
    await page.getByText('Nenhum documento encontrado.').waitFor();
    await page.goto('/explore?q=energia');
    await page.locator('.hit .title').first().click();
    await page.getByText('Ver documento na CVM').first().waitFor();
    assert.equal(await page.title(), `Empresas e documentos: ${await page.locator('.company-head h2').textContent()} · Lastro`);
    const csv = page.getByRole('button', { name: 'Baixar em CSV' });
    await csv.waitFor();
    await page.getByText('Filtros').click();
    await page.getByLabel('Entregues a partir de').fill('2026-12-01');
    await page.getByLabel('Entregues até').fill('2026-01-01');
    await page.getByRole('button', { name: 'Buscar' }).click();
    await page.getByText('a data inicial é posterior à final').waitFor();
    assert.equal(await csv.isVisible(), false);
  });
});

test('filings are filtered, and the address shows the same again', async () => {
  await withKey(PLATINUM, { locale: 'pt-BR' }, '/explore', async (page) => {
    await page.getByText('Filtros').click();
    await page.getByLabel('Categoria').focus();
    await page.locator('#categories option').first().waitFor({ state: 'attached' });
    const category = await page.locator('#categories option').first().getAttribute('value') ?? await page.locator('#categories option').first().textContent();
    await page.getByLabel('Categoria').fill(category);
    await page.getByLabel('Entregues a partir de').fill('2020-01-01');
    await page.getByRole('button', { name: 'Buscar' }).click();
    await page.locator('.hit').first().waitFor();
    const { searchParams } = new globalThis.URL(page.url());
    assert.deepEqual(Object.fromEntries(searchParams), { category, from: '2020-01-01' });
    const [shown, told] = await Promise.all([page.locator('.hit').allTextContents(), page.locator('.hits small').textContent()]);
    assert.ok(shown.every((text) => text.startsWith(category)), shown[0]);
    await picture(page, 'explore-filters');
    await page.reload();
    await page.locator('.hit').first().waitFor();
    assert.equal(await page.locator('.hits small').textContent(), told);
    assert.equal(await page.getByLabel('Categoria').inputValue(), category);
    const { text } = await saved(page, () => page.getByRole('button', { name: 'Baixar em CSV' }).click());
    assert.equal(text.trim().split('\r\n').length - 1, shown.length);
    await page.getByRole('link', { name: 'English' }).click();
    await page.getByText('Document at the regulator').first().waitFor();
    assert.equal(await page.getByLabel('Category').inputValue(), category);
  });
});

test('a company has an address, with filters of its filings', async () => {
  await withKey(GOLD, {}, '/explore?q=energia', async (page) => {
    await page.locator('.hit .title').first().click();
    await page.getByText('Document at the regulator').first().waitFor();
    const name = await page.locator('.company-head h2').textContent();
    const { origin, pathname } = new globalThis.URL(page.url());
    assert.match(pathname, /^\/explore\/companies\/\d+$/);
    await page.getByRole('searchbox').fill('assembleia');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${origin}${pathname}?q=assembleia`);
    await page.goto(pathname);
    await page.getByRole('heading', { name }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name }).waitFor();
  });
});

test('an unknown company and a wrong filter are said', async () => {
  await withKey(GOLD, { refusals: true }, '/explore/companies/999999', async (page) => {
    await page.getByText('There is no company with this code.').waitFor();
    await page.goto('/explore?from=2026-02-31');
    await page.getByText('Check the filters').waitFor();
  });
});

test('a search becomes a feed at an address of its own', async () => {
  await withKey(GOLD, {}, '/explore?q=energia&category=Fato+Relevante', async (page) => {
    await page.getByRole('button', { name: 'Make a feed (Atom)' }).click();
    const link = page.locator('#feed-made a');
    await link.waitFor();
    const answer = await page.request.get(await link.getAttribute('href'));
    assert.equal(answer.headers()['content-type'], 'application/atom+xml; charset=utf-8');
    assert.match(await answer.text(), /<title>energia, Fato Relevante<\/title>/);
  });
});

test('a period alone becomes no feed', async () => {
  await withKey(GOLD, {}, '/explore?from=2020-01-01', async (page) => {
    await page.locator('#take').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Make a feed (Atom)' }).isVisible(), false);
    await page.goto('/explore?from=2020-01-01&category=Fato+Relevante');
    await page.getByRole('button', { name: 'Make a feed (Atom)' }).waitFor();
  });
});
