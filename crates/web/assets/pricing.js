// Enhances the pricing page: registration in place, and links to plans that contain the id of the reader's key.
// Without this file the form still works: it posts to /pricing and the server replies with a page.
(() => {
  'use strict';
  const byId = (id) => document.getElementById(id);
  const show = (element, shown = true) => { element.hidden = !shown; };

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
    const english = document.documentElement.lang === 'en';
    place.textContent = english || !field ? message.replaceAll('`', '') : place.dataset.text;
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
    lastro.key.set(key);
    form.reset();
    show(form, false);
    show(byId('issued'));
    byId('issued').focus();
  };

  const explain = (answer, body) => {
    const seconds = answer.headers.get('Retry-After');
    if (answer.status === 429 && seconds) return form.dataset.limited.replace('{seconds}', seconds);
    // The API's messages are English. Errors of a field are shown beside it in the language of the page.
    const isReadable = answer.status === 400 || document.documentElement.lang === 'en';
    return (isReadable && body.message) || form.dataset.failed;
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
      showError(form.dataset.failed);
    } finally {
      button.disabled = false;
    }
  });

  // A link to a paid plan contains the public id of the key it is for, never the key itself.
  const nameKey = () => {
    for (const link of document.querySelectorAll('[data-contact]')) {
      link.href = link.dataset.contact.replaceAll('{key}', encodeURIComponent(lastro.key.id() ?? ''));
    }
  };
  document.addEventListener('keychange', nameKey);
  nameKey();
})();
