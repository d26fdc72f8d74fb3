// Paying, from the pricing page to a Gold answer, with a stand-in for Stripe. Starts a service of its own, with payments.
//
// LASTRO_BINARY is the program; scripts/test sets it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, picture, register } from './browser.js';

const { LASTRO_BINARY: BINARY } = process.env;
const SECRET = 'whsec_of_the_test';

let chrome;
let stripe;
let service;

const freePort = () => new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

/** A stand-in for Stripe: one customer at most, whose checkout is a page with a button. */
async function openStripe() {
  const state = { order: null, paid: false, notify: null };
  const subscription = () => ({
    id: 'sub_1', status: 'active', created: 1, cancel_at: null, cancel_at_period_end: false, customer: 'cus_1',
    metadata: { account: state.order.get('subscription_data[metadata][account]') },
    items: { data: [{ price: { id: state.order.get('line_items[0][price]') }, current_period_end: 1893456000 }] },
  });
  const pay = async () => {
    state.paid = true;
    const body = JSON.stringify({ id: 'evt_1', type: 'customer.subscription.created', data: { object: subscription() } });
    const at = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', SECRET).update(`${at}.${body}`).digest('hex');
    const headers = { 'Stripe-Signature': `t=${at},v1=${signature}` };
    const answer = await fetch(`${state.notify}/billing/stripe`, { method: 'POST', headers, body });
    assert.equal(answer.status, 200);
  };
  const session = () => ({ id: 'cs_1', status: state.paid ? 'complete' : 'expired', customer: state.paid ? 'cus_1' : null, url: null });
  const page = (text, link) => ({ html: `<!doctype html><title>Stripe</title><h1>${text}</h1><a href="${link}">Continue</a>` });
  const answers = {
    'GET /v1/prices/price_gold': () => ({ active: true, currency: 'brl', unit_amount: 14990, recurring: { interval: 'month', interval_count: 1 } }),
    'POST /v1/checkout/sessions': (form) => {
      state.order = form;
      return { id: 'cs_1', status: 'open', customer: null, url: `${state.url}/pay` };
    },
    'GET /v1/checkout/sessions/cs_1': () => session(),
    'POST /v1/checkout/sessions/cs_1/expire': () => session(),
    'POST /v1/billing_portal/sessions': () => ({ url: `${state.url}/portal` }),
    'GET /v1/subscriptions': () => ({ has_more: false, data: state.paid ? [subscription()] : [] }),
    'GET /pay': () => page('Pay', '/done'),
    'GET /portal': () => page('Portal', '/'),
    'GET /done': async () => {
      await pay();
      return { location: state.order.get('success_url') };
    },
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const answer = await answers[`${request.method} ${request.url.split('?')[0]}`]?.(new URLSearchParams(body));
    if (answer?.location) response.writeHead(303, { Location: answer.location }).end();
    else if (answer?.html) response.writeHead(200, { 'Content-Type': 'text/html' }).end(answer.html);
    else response.writeHead(answer ? 200 : 404).end(JSON.stringify(answer ?? { error: {} }));
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  state.url = `http://127.0.0.1:${server.address().port}`;
  return { state, close: () => { server.closeAllConnections(); server.close(); } };
}

async function openService() {
  const [directory, port] = [mkdtempSync(join(tmpdir(), 'lastro-billing-')), await freePort()];
  const file = (name, text) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const url = `http://127.0.0.1:${port}`;
  stripe.state.notify = url;
  const child = spawn(BINARY, [
    '--listen', `127.0.0.1:${port}`, '--admin-listen', 'off', '--sync', 'off', '--public-url', url,
    '--database', `sqlite:${join(directory, 'lastro.db')}`, '--stripe-url', stripe.state.url,
    '--stripe-prices', 'gold=price_gold', '--stripe-key-file', file('key', 'sk_of_the_test'),
    '--stripe-webhook-secret-file', file('secret', SECRET),
  ], { stdio: 'ignore' });
  const close = () => {
    child.kill();
    rmSync(directory, { recursive: true, force: true });
  };
  for (let second = 0; second < 30; second += 0.2) {
    const text = await fetch(`${url}/pricing`).then((answer) => answer.text()).catch(() => '');
    if (text.includes('data-checkout')) return { url, close };
    await new Promise((resolve) => { setTimeout(resolve, 200); });
  }
  close();
  throw new Error('the service does not offer payments');
}

before(async () => {
  assert.ok(BINARY, 'LASTRO_BINARY must be set; run scripts/test');
  stripe = await openStripe();
  service = await openService();
  chrome = await launch();
});
after(async () => {
  await chrome?.close();
  service?.close();
  stripe?.close();
});

test('a visitor gets a key, pays, and the same key is Gold', async () => {
  const context = await chrome.newContext({ baseURL: service.url, reducedMotion: 'reduce', locale: 'en-US', viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const [addresses, faults] = [[], []];
  page.on('request', (request) => addresses.push(request.url(), request.headers().referer ?? ''));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => { if (message.text().includes('Content Security Policy')) faults.push(message.text()); });

  await page.goto('/pricing');
  assert.match(await page.locator('#plan-gold .price').textContent(), /R\$ 149\.90/);
  await picture(page, 'pricing-with-payments');
  await page.getByRole('button', { name: 'Get Gold' }).click();
  await page.getByText('A plan belongs to a key.').waitFor();
  await register(page, 'Ana', 'ana@example.com');
  const key = await page.locator('#key').textContent();
  const asked = (path) => page.evaluate(([address, held]) => fetch(address, { headers: { 'X-API-Key': held } }).then((answer) => answer.status), [path, key]);
  assert.equal(await asked('/api/v1/filings/recent'), 403);

  await page.getByRole('button', { name: 'Get Gold' }).click();
  await page.getByRole('heading', { name: 'Pay' }).waitFor();
  await page.getByRole('link', { name: 'Continue' }).click();
  await page.getByText('Your key is on the Gold plan now.').waitFor();
  await picture(page, 'billing-success');
  assert.equal(await asked('/api/v1/filings/recent'), 200);

  await page.goto('/usage');
  await page.locator('#billing-status').filter({ hasText: 'Paid.' }).waitFor();
  await page.getByText(/Renews on/).waitFor();
  await picture(page, 'usage-with-payments');
  await page.getByRole('button', { name: 'Change, pay or cancel' }).click();
  await page.getByRole('heading', { name: 'Portal' }).waitFor();

  await page.goto('/pricing');
  await page.getByRole('button', { name: 'Get Gold' }).click();
  await page.getByRole('heading', { name: 'Portal' }).waitFor();
  assert.deepEqual(addresses.filter((address) => address.includes(key.slice(16))), []);
  assert.deepEqual(faults, []);
  await context.close();
});

test('waiting for a payment leaves most of the quota', async () => {
  const context = await chrome.newContext({ baseURL: service.url, reducedMotion: 'reduce', locale: 'en-US' });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  await page.goto('/pricing');
  await register(page, 'Rui', 'rui@example.com');
  const polls = [];
  page.on('response', (answer) => { if (new URL(answer.url()).pathname === '/api/v1/billing') polls.push(answer.status()); });
  await page.clock.install();
  await page.goto('/billing/success');
  const end = page.getByText('The confirmation has not come yet.');
  for (let second = 0; second < 120 && !(await end.isVisible()); second += 1) {
    await page.clock.runFor(1000);
    if (second === 59) assert.ok(polls.length > 3 && polls.length <= 10, `${polls.length} requests in a minute`);
  }
  await end.waitFor();
  assert.ok(polls.every((status) => status === 200), `${polls}`);
  await context.close();
});

test('a payment whose plan is not in force yet is waited for', async () => {
  const context = await chrome.newContext({ baseURL: service.url, reducedMotion: 'reduce', locale: 'en-US' });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  await page.goto('/pricing');
  await register(page, 'Eva', 'eva@example.com');
  const plans = ['free', 'gold'];
  await page.route('**/api/v1/billing', (route) => route.fulfill({
    json: { plan: plans.length > 1 ? plans.shift() : plans[0], status: 'active', current_period_end: null, cancel_at_period_end: false },
  }));
  await page.goto('/billing/success');
  await page.getByText(/Your key is on the \w+ plan now\./).waitFor();
  assert.match(await page.locator('#billing-state').textContent(), /Gold/);
  await context.close();
});

test('a visitor who does not pay is told that nothing was charged', async () => {
  const context = await chrome.newContext({ baseURL: service.url, reducedMotion: 'reduce', locale: 'pt-BR' });
  const page = await context.newPage();
  await page.goto('/billing/cancel');
  await page.getByRole('heading', { name: 'Nada foi cobrado' }).waitFor();
  await context.close();
});
