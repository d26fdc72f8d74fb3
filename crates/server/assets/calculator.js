// The calculator in place, and with the reader's key. Without this file the form asks the server for a page that says the same.
(() => {
  'use strict';
  const form = document.getElementById('calculation');
  const outcome = document.getElementById('outcome');

  const fail = (answer) => {
    const place = document.createElement('div');
    Object.assign(place.dataset, { ...outcome.dataset });
    place.className = 'state';
    outcome.replaceChildren(place);
    lastro.explain(place, answer);
  };

  const put = (text) => {
    const page = new DOMParser().parseFromString(text, 'text/html');
    const drawn = page.getElementById('outcome');
    if (!drawn) throw new Error('no outcome');
    outcome.replaceChildren(...drawn.childNodes);
    lastro.prepare(outcome);
    lastro.showKey();
  };

  const calculate = async () => {
    const address = `${form.getAttribute('action')}?${new URLSearchParams(new FormData(form))}`;
    outcome.setAttribute('aria-busy', 'true');
    let answer;
    try {
      answer = await lastro.ask(address, 'text/html');
      if (answer.ok || answer.status === 400) put(await answer.text());
      else fail(answer);
      history.replaceState(null, '', address);
      if (innerWidth < 980) outcome.scrollIntoView({ block: 'start' });
    } catch {
      fail(answer);
    } finally {
      outcome.removeAttribute('aria-busy');
    }
  };

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    calculate();
  });
  // A key that was entered for the sake of the receipt is used for it at once.
  document.addEventListener('keychange', () => {
    if (lastro.key.get() && outcome.querySelector('.prompt')) calculate();
  });
})();
