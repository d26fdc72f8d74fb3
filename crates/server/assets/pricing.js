// The pricing page beyond plain HTML: newest values, registration in place, copy buttons.
// Without this file the form still works: it posts to /pricing and the server answers a page.
(() => {
  'use strict';
  const byId = (id) => document.getElementById(id);
  const show = (element, shown = true) => { element.hidden = !shown; };

  for (const place of document.querySelectorAll('[data-origin]')) place.textContent = location.origin;

  // Newest values.

  const date = (day, options) => new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }).format(new Date(day));
  const figure = (value, decimals) =>
    new Intl.NumberFormat('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: 6 }).format(value);

  const fill = (name, value, decimals, day, form) => {
    const data = document.querySelector(`[data-value="${name}"]`);
    data.value = value;
    data.textContent = figure(value, decimals).replace('-', '−');
    const time = document.querySelector(`[data-date="${name}"]`);
    time.dateTime = day;
    time.textContent = date(day, form);
  };

  const showNewestValues = async () => {
    const tape = byId('tape');
    try {
      const answer = await fetch('/api/v1/market/overview');
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const { selic, cdi, ipca, fx } = await answer.json();
      const day = { day: 'numeric', month: 'short', year: 'numeric' };
      fill('selic', selic.value, 2, selic.date, day);
      fill('cdi', cdi.value, 2, cdi.date, day);
      fill('ipca', ipca.value, 2, ipca.date, { month: 'short', year: 'numeric' });
      fill('fx', fx.sell, 4, fx.date, day);
      show(tape);
    } catch {
      tape.remove();
    }
  };

  // Registration.

  const form = byId('form');
  const FIELDS = ['name', 'email'];

  const clearErrors = () => {
    show(byId('form-error'), false);
    for (const field of FIELDS) {
      byId(field).removeAttribute('aria-invalid');
      show(byId(`${field}-error`), false);
    }
  };

  const showError = (message) => {
    const field = FIELDS.find((name) => message.includes(`\`${name}\``));
    const place = byId(field ? `${field}-error` : 'form-error');
    place.textContent = message.replaceAll('`', '');
    show(place);
    if (field) {
      byId(field).setAttribute('aria-invalid', 'true');
      byId(field).focus();
    }
  };

  const showKey = ({ api_key: key, plan, rate_limit: limit }) => {
    byId('key').textContent = key;
    byId('call-key').textContent = key;
    byId('key-plan').textContent = plan.charAt(0).toUpperCase() + plan.slice(1);
    byId('key-limit').textContent = limit;
    form.reset();
    show(form, false);
    show(byId('issued'));
    byId('issued').focus();
  };

  const explain = (answer, body) => {
    const seconds = answer.headers.get('Retry-After');
    if (answer.status === 429 && seconds) return `Too many requests from your address. Try again in ${seconds} seconds.`;
    return body.message || 'Something went wrong. Please try again.';
  };

  const register = async () => {
    const answer = await fetch('/api/v1/plans/register', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: byId('name').value, email: byId('email').value }),
    });
    const body = await answer.json();
    if (answer.status === 201) showKey(body);
    else showError(explain(answer, body));
  };

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    clearErrors();
    const button = form.querySelector('[type="submit"]');
    button.disabled = true;
    try {
      await register();
    } catch {
      showError('The server could not be reached. Please try again.');
    } finally {
      button.disabled = false;
    }
  });

  // Copying.

  const select = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  };

  const copy = async (button) => {
    const source = byId(button.dataset.copy);
    const label = button.textContent;
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = 'Copied';
    } catch {
      // Browsers hide the clipboard from pages without TLS.
      select(source);
      button.textContent = 'Press Ctrl+C';
    }
    setTimeout(() => { button.textContent = label; }, 2000);
  };

  for (const button of document.querySelectorAll('[data-copy]')) {
    show(button);
    button.addEventListener('click', () => copy(button));
  }

  if (byId('tape')) showNewestValues();
})();
