// Calculates in place, with the reader's key. Without this file the form loads a page with the same result.
(() => {
  'use strict';
  const form = document.getElementById('calculation');
  const outcome = document.getElementById('outcome');
  const begin = lastro.turns();

  const fail = (answer) => {
    // An unknown key would block every calculation, and none is needed, so it is removed.
    if (answer?.status === 401) lastro.key.forget();
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
  };

  const calculate = async () => {
    const address = `${form.getAttribute('action')}?${new URLSearchParams(new FormData(form))}`;
    const isCurrent = begin();
    outcome.setAttribute('aria-busy', 'true');
    let answer;
    try {
      answer = await lastro.ask(address, 'text/html');
      const text = await answer.text();
      if (!isCurrent()) return;
      if (answer.ok || answer.status === 400) put(text);
      else fail(answer);
      lastro.move(address);
      if (innerWidth < 980) outcome.scrollIntoView({ block: 'start' });
    } catch {
      if (isCurrent()) fail(answer);
    } finally {
      if (isCurrent()) outcome.removeAttribute('aria-busy');
    }
  };

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    calculate();
  });
})();
