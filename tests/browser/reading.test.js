// Every page in both languages and themes, on four screens, without scripts, by keyboard, by a screen reader.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { openBrowser, picture, submit } from './browser.js';

const { LASTRO_URL: URL } = process.env;
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const PAGES = [
  '/', '/series', '/series/selic', '/series/ipca', '/series/reserves?compare=cdi', '/fx/usd-brl', '/calculator',
  '/calculator/correction?index=ipca&from=2025-11&to=2026-06&amount=1000', '/calculator?kind=accumulation',
  '/calculator/correction?index=ipca&from=2023-11&to=2026-06&amount=1000', '/calculator?kind=debt', '/calculator?kind=rent',
  '/calculator/check', '/calculator/check/D0', '/calculator/check/C0',
  '/calculator/savings?from=2026-01-10&to=2026-06-10&amount=1000', '/explore', '/explore/companies/PETR4', '/usage', '/status', '/pricing', '/docs',
  '/indices', '/privacy', '/versions', '/changelog',
];
const LANGUAGES = { 'pt-BR': 'pt-BR', 'en-US': 'en' };

let browser;
let axe;
before(async () => {
  assert.ok(URL, 'LASTRO_URL must be set; run scripts/test');
  axe = await readFile(AXE, 'utf8');
  browser = await openBrowser(URL);
});
after(() => browser?.close());

const nameOf = (path) => path.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '').slice(0, 40) || 'front';

/** Violations found by axe-core, except in the API reference, which a third-party UI renders. */
const violations = async (page) => {
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run({ exclude: [['#app']] }, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] }));
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} (${failureSummary})`).join(' | ')}`);
};

/** Opens every page in turn, in one visit. */
const readAll = (options, pages, look) => browser.visit(options, async (page) => {
  for (const path of pages) {
    await page.goto(path);
    await look(page, path);
  }
});

const pictureOf = (page, path, suffix) => picture(page, `${nameOf(path)}-${suffix}`, { fullPage: path !== '/docs' });

const assertFits = async (page, path, width) => {
  await page.setViewportSize({ width, height: 844 });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(overflow <= 0, `${path}: ${overflow} pixels too wide for a screen of ${width}`);
  await pictureOf(page, path, width);
};

// A phone, a window of 1280 pixels at 200 %, a tablet, a desk.
const WIDTHS = [390, 640, 768, 1440];

for (const [locale, colorScheme, widths] of [['pt-BR', 'dark', WIDTHS], ['en-US', 'light', WIDTHS.toReversed()]]) {
  test(`every page is accessible and fits every screen (${locale}, ${colorScheme})`, async () => {
    const viewport = { width: widths[0], height: 844 };
    await readAll({ locale, colorScheme, viewport }, PAGES, async (page, path) => {
      assert.equal(await page.locator('html').getAttribute('lang'), LANGUAGES[locale], path);
      // The third-party UI of the reference has a second banner on a phone, and takes seconds for each new width.
      const reference = path === '/docs';
      if (!reference || widths[0] > 390) assert.deepEqual(await violations(page), [], path);
      await pictureOf(page, path, `${locale}-${colorScheme}`);
      for (const width of reference ? widths.slice(0, 1) : widths) await assertFits(page, path, width);
      await page.setViewportSize(viewport);
    });
  });
}

test('the total of a debt is beside its form, and every table of checks can be read', async () => {
  for (const width of [390, 768, 1440]) {
    await browser.visit({ locale: 'pt-BR', viewport: { width, height: 844 } }, async (page) => {
      await page.goto('/calculator?kind=debt');
      const fill = async () => {
        await page.locator('#instalments').fill('10/01/2025 10.000,00 aluguel\n10/02/2025 10.000,00 aluguel');
        await page.locator('#fine_percent').fill('2');
      };
      await submit(page, fill, 'Calcular', '.receipt .scroll');
      const table = page.locator('.receipt .scroll').first();
      const hidden = await table.evaluate((element) => element.scrollWidth - element.clientWidth);
      if (width > 640) assert.ok(hidden <= 0, `${width}: ${hidden} pixels of the table are off screen`);
      await picture(page, `debt-result-${width}`);
      await page.goto('/series/ipca');
      const first = await page.locator('.checks td').first().evaluate((cell) => cell.clientWidth);
      assert.ok(first >= 160, `${width}: ${first} pixels`);
    });
  }
});

test('every page is there without scripts', async () => {
  await readAll({ javaScriptEnabled: false }, PAGES, async (page, path) => {
    assert.equal(await page.locator('h1').count(), 1, path);
    assert.equal(await page.locator('.scripted-only:visible').count(), 0, path);
  });
});

test('charts are read without scripts', async () => {
  await browser.visit({ javaScriptEnabled: false }, async (page) => {
    await page.goto('/series/ipca');
    assert.ok(await page.locator('.plot .bars').isVisible());
    const description = await page.locator('.plot desc').textContent();
    assert.match(description, /lowest .* highest/);
    await page.locator('.values summary').click();
    assert.ok((await page.locator('.values tbody tr').count()) >= 12);
    await page.getByLabel('Compare with').selectOption('selic');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.locator('.plot .line.second').waitFor();
  });
});

test('the catalogue is filtered as one types', async () => {
  await browser.visit({ locale: 'pt-BR' }, async (page) => {
    await page.goto('/series');
    await page.getByRole('searchbox').fill('inflação');
    assert.equal(await page.locator('.series-row:visible').count(), 1);
    assert.equal(await page.locator('#found').textContent(), '1 encontrada');
    await page.getByRole('searchbox').fill('nada disso');
    assert.ok(await page.locator('#none').isVisible());
  });
});

test('the language is switched by a click, and the choice lasts', async () => {
  await browser.visit({ locale: 'en-US' }, async (page) => {
    await page.goto('/series/ipca');
    await page.getByRole('link', { name: 'Português' }).click();
    await page.getByRole('heading', { level: 1, name: 'Índice nacional de preços' }).waitFor();
    await page.getByRole('link', { name: 'Calculadora' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Calculadora' }).waitFor();
    await page.goto('/');
    assert.equal(await page.locator('html').getAttribute('lang'), 'pt-BR');
  });
});

test('a page is walked by keyboard alone', async () => {
  await browser.visit({}, async (page) => {
    await page.goto('/series/selic');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
    const chart = page.locator('svg.plot');
    for (let presses = 0; presses < 30; presses += 1) {
      await page.keyboard.press('Tab');
      if (await chart.evaluate((element) => element === document.activeElement)) break;
    }
    await page.keyboard.press('ArrowLeft');
    assert.match(await page.locator('.tip').textContent(), /%/);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.tip').isVisible(), false);
    // Every focused element shows an outline.
    for (let presses = 0; presses < 25; presses += 1) {
      await page.keyboard.press('Tab');
      const unseen = await page.evaluate(() => {
        const { activeElement: element } = document;
        return element !== document.body && getComputedStyle(element).outlineStyle === 'none' && element.outerHTML.slice(0, 120);
      });
      assert.equal(unseen, false);
    }
  });
});

test('a comparison can be read in the other language', async () => {
  await browser.visit({ locale: 'en-US' }, async (page, context) => {
    await page.goto('/fx/usd-brl');
    await page.getByLabel('Compare with').selectOption('eur-brl');
    await page.locator('.plot .line.second').waitFor();
    // No language has been chosen so far.
    assert.deepEqual(await context.cookies(), []);
    await page.getByRole('link', { name: 'Português' }).click();
    await page.getByRole('heading', { level: 1, name: 'Dólar americano' }).waitFor();
    await page.locator('.plot .line.second').waitFor();
  });
});

test('what was chosen last is what lasts, though the page is known already', async () => {
  await browser.visit({ locale: 'en-US' }, async (page) => {
    await page.goto('/privacy');
    for (const [link, language] of [['Português', 'pt-BR'], ['English', 'en'], ['Português', 'pt-BR']]) {
      await page.getByRole('link', { name: link }).click();
      await page.locator(`html[lang="${language}"]`).waitFor({ state: 'attached' });
    }
    await page.goto('/status');
    assert.equal(await page.locator('html').getAttribute('lang'), 'pt-BR');
  });
});

test('a page is printed dark on light, with the values behind its chart', async () => {
  await browser.visit({ colorScheme: 'dark' }, async (page) => {
    await page.goto('/series/ipca');
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const ink = await page.evaluate(() => getComputedStyle(document.body).color);
    assert.ok(ink.match(/\d+/g).every((part) => Number(part) < 80), ink);
    assert.ok(await page.locator('.values tbody tr').first().isVisible());
    assert.equal(await page.locator('.bar').isVisible(), false);
  });
});

test('a pointer on a chart is told the value below it', async () => {
  await browser.visit({}, async (page) => {
    await page.goto('/series/ipca');
    const box = await page.locator('svg.plot').boundingBox();
    await page.mouse.move(box.x + box.width * 0.98, box.y + 100);
    const newest = await page.locator('.headline data').textContent();
    assert.ok((await page.locator('.tip').textContent()).startsWith(newest));
  });
});

test('the first view is small and nothing moves', async () => {
  for (const path of ['/', '/series', '/series/selic', '/calculator', '/indices', '/explore/companies/PETR4', '/pricing', '/status']) {
    await browser.visit({ viewport: { width: 390, height: 844 } }, async (page, context) => {
      const client = await context.newCDPSession(page);
      let bytes = 0;
      client.on('Network.loadingFinished', ({ encodedDataLength }) => { bytes += encodedDataLength; });
      await client.send('Network.enable');
      await page.addInitScript(() => {
        globalThis.shifts = 0;
        new PerformanceObserver((list) => { for (const { value } of list.getEntries()) globalThis.shifts += value; }).observe({ type: 'layout-shift', buffered: true });
      });
      await page.goto(path, { waitUntil: 'networkidle' });
      assert.ok(bytes > 0 && bytes < 60_000, `${path}: ${bytes} bytes`);
      const shifts = await page.evaluate(() => globalThis.shifts);
      assert.ok(shifts < 0.02, `${path}: shifted by ${shifts}`);
    });
  }
});

test('a page that does not exist is a page', async () => {
  await browser.visit({ refusals: true, locale: 'pt-BR' }, async (page) => {
    const answer = await page.goto('/nada');
    assert.equal(answer.status(), 404);
    await page.getByRole('heading', { name: 'Página não encontrada' }).waitFor();
    assert.deepEqual(await violations(page), []);
    await picture(page, 'not-found', { fullPage: false });
  });
});
