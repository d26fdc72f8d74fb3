// The reader's key: entered once, kept in the session storage of this tab, sent in a header, removed with a click.
// It is never part of an address, and no other file of ours accesses the storage.
(() => {
  'use strict';
  const PLACE = 'lastro-key';
  const FORM = /^lastro_([0-9A-Za-z]{8})_[0-9A-Za-z]{38}$/;
  let held = null;

  // Storage can be blocked; the key then lasts as long as the page.
  try { held = sessionStorage.getItem(PLACE); } catch { /* see above */ }
  if (held && !FORM.test(held)) held = null;

  const announce = () => document.dispatchEvent(new CustomEvent('keychange'));

  const key = {
    get: () => held,
    // The public part of the key.
    id: () => held?.match(FORM)?.[1] ?? null,
    set(text) {
      if (!FORM.test(text)) return false;
      held = text;
      try { sessionStorage.setItem(PLACE, text); } catch { /* see above */ }
      announce();
      return true;
    },
    forget() {
      held = null;
      try { sessionStorage.removeItem(PLACE); } catch { /* see above */ }
      announce();
    },
  };

  /** Sends a request to our own service, in the language of the page, with the key if there is one. */
  const ask = (path, accept = 'application/json', body = undefined) => {
    const headers = { Accept: accept, 'Accept-Language': document.documentElement.lang };
    if (held) headers['X-API-Key'] = held;
    return fetch(path, { method: body ? 'POST' : 'GET', body, headers, cache: 'no-store' });
  };

  /** Returns a function that begins a turn. A turn is a function that returns whether no later turn has begun. */
  const turns = () => {
    let newest = 0;
    return () => {
      newest += 1;
      const own = newest;
      return () => own === newest;
    };
  };

  /** Changes the address of the page and of its translations to match its new content. */
  const move = (address) => {
    history.replaceState(null, '', address);
    for (const link of document.querySelectorAll('.languages a')) {
      const language = new URL(link.href).searchParams.get('lang');
      const translation = new URL(address, location.href);
      translation.searchParams.set('lang', language);
      link.href = translation.href;
    }
  };

  /** Shows in `place` why a request failed. The texts are in its data attributes. */
  const explain = (place, answer) => {
    // An unread body keeps its connection busy.
    answer?.text().catch(() => {});
    const { failed, limited, unknown } = place.dataset;
    const seconds = answer?.headers.get('Retry-After') ?? '60';
    const text = answer?.status === 429 ? limited.replace('{seconds}', seconds)
      : answer?.status === 401 && unknown ? unknown : failed;
    place.textContent = text;
    place.classList.add('bad');
    place.hidden = false;
  };

  const show = () => {
    for (const place of document.querySelectorAll('[data-key-form], [data-without-key]')) place.hidden = Boolean(held);
    for (const line of document.querySelectorAll('[data-key-held]')) {
      line.hidden = !held;
      line.querySelector('[data-key-id]').textContent = held ? `lastro_${key.id()}_…` : '';
    }
  };

  const take = (form) => {
    const input = form.querySelector('input');
    const error = form.querySelector('.error');
    const taken = key.set(input.value.trim());
    error.textContent = error.dataset.text;
    error.hidden = taken;
    input.toggleAttribute('aria-invalid', !taken);
    if (taken) input.value = '';
    else input.focus();
  };

  document.addEventListener('submit', (event) => {
    if (!event.target.matches('[data-key-form]')) return;
    event.preventDefault();
    take(event.target);
  });
  document.addEventListener('click', (event) => {
    if (event.target.closest?.('[data-key-forget]')) key.forget();
  });
  document.addEventListener('keychange', show);

  globalThis.lastro = Object.assign(globalThis.lastro ?? {}, { key, ask, turns, move, explain });
  show();
})();
