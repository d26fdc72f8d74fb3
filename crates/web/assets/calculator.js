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
    offerPrint();
  };

  const calculate = async () => {
    // A debt is too long for an address: it is sent as a body, and the address stays that of the form.
    const posts = form.method === 'post';
    const fields = new URLSearchParams(new FormData(form));
    const address = posts ? form.getAttribute('action') : `${form.getAttribute('action')}?${fields}`;
    const isCurrent = begin();
    outcome.setAttribute('aria-busy', 'true');
    let answer;
    try {
      answer = await lastro.ask(address, 'text/html', posts ? fields : undefined);
      const text = await answer.text();
      if (!isCurrent()) return;
      if (answer.ok || answer.status === 400) put(text);
      else fail(answer);
      if (!posts) lastro.move(address);
      if (innerWidth < 980) outcome.scrollIntoView({ block: 'start' });
    } catch {
      if (isCurrent()) fail(answer);
    } finally {
      if (isCurrent()) outcome.removeAttribute('aria-busy');
    }
  };

  const offerPrint = () => {
    for (const button of document.querySelectorAll('[data-print]')) {
      button.hidden = false;
      button.onclick = () => print();
    }
  };
  offerPrint();

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    calculate();
  });
})();
