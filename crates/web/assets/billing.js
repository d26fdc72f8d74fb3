// Payments: opens the checkout or the portal of the payment processor, and shows the state of the reader's subscription.
// The key travels in a header only. The addresses come from our API, and hold no key.
(() => {
  'use strict';
  const byId = (id) => document.getElementById(id);
  /** Seconds between two looks at the plan after a payment: a minute and a half with few requests of the quota. */
  const WAITS = [2, 3, 5, 8, 13, 20, 20, 20];

  const tell = (text, bad = false) => {
    const place = byId('billing-state');
    place.textContent = text;
    place.classList.toggle('bad', bad);
    place.hidden = !text;
  };

  const texts = () => byId('billing-state').dataset;

  /** Asks for an address and opens it. */
  const open = async (button, path, request) => {
    button.disabled = true;
    tell(texts().opening);
    let answer;
    try {
      answer = await lastro.ask(path, 'application/json', JSON.stringify(request));
      if (answer.status !== 201) throw new Error(`status ${answer.status}`);
      location.assign((await answer.json()).url);
    } catch {
      if (answer) lastro.explain(byId('billing-state'), answer);
      else tell(texts().failed, true);
      button.disabled = false;
    }
  };

  const buy = (button) => {
    if (lastro.key.get()) {
      open(button, '/api/v1/billing/checkout', { plan: button.dataset.checkout });
      return;
    }
    tell(texts().needKey);
    byId('register')?.scrollIntoView();
    byId('name')?.focus();
  };

  document.addEventListener('click', (event) => {
    const button = event.target.closest?.('[data-checkout], [data-portal]');
    if (!button) return;
    if (button.dataset.checkout) buy(button);
    else open(button, '/api/v1/billing/portal', {});
  });

  // A page that is taken out of the browser's cache on the way back from the processor.
  addEventListener('pageshow', () => {
    for (const button of document.querySelectorAll('[data-checkout], [data-portal]')) button.disabled = false;
    if (byId('billing-state')?.textContent === texts().opening) tell('');
  });

  const name = (plan) => plan.charAt(0).toUpperCase() + plan.slice(1);

  const ask = async () => {
    const answer = await lastro.ask('/api/v1/billing');
    return answer.ok ? answer.json() : null;
  };

  // The subscription, on the page of usage.

  const section = byId('billing');

  const show = ({ status, current_period_end: end, cancel_at_period_end: ends }) => {
    byId('billing-status').textContent = byId(`billing-is-${status}`)?.textContent ?? status;
    const until = byId('billing-until');
    const date = end && new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'long' }).format(new Date(end));
    const text = ends ? until.dataset.ends : until.dataset.renews;
    until.textContent = text.replace('{date}', date);
    until.hidden = !date || !['trialing', 'active', 'past_due'].includes(status);
    byId('billing-manage').hidden = status === 'none';
    byId('billing-plans').hidden = !['none', 'canceled'].includes(status);
    section.hidden = false;
  };

  const load = async () => {
    section.hidden = true;
    const held = lastro.key.get();
    if (!held) return;
    try {
      const billing = await ask();
      if (billing && held === lastro.key.get()) show(billing);
    } catch { /* The page shows usage without it. */ }
  };

  if (section) {
    document.addEventListener('keychange', load);
    load();
  }

  // The page after a payment: waits until the plan is in force.

  const waiting = byId('billing-waiting');

  const wait = async () => {
    if (!lastro.key.get()) {
      tell(waiting.dataset.noKey);
      return;
    }
    for (const seconds of [...WAITS, 0]) {
      const billing = await ask().catch(() => null);
      // Paid and still Free: the plan is not in force yet.
      if (billing && ['trialing', 'active'].includes(billing.status) && billing.plan !== 'free') {
        tell(waiting.dataset.inForce.replace('{plan}', name(billing.plan)));
        return;
      }
      await new Promise((resolve) => { setTimeout(resolve, seconds * 1000); });
    }
    tell(waiting.dataset.later);
  };

  if (waiting) {
    tell(waiting.dataset.text);
    wait();
  }
})();
