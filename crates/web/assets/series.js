// The chart of a series over other ranges or beside another. The server renders it, further back with a Gold key.
(() => {
  'use strict';
  const chart = document.getElementById('chart');
  const state = document.getElementById('chart-state');
  const prompt = document.getElementById('history-prompt');
  const select = document.getElementById('compare');
  const picture = document.getElementById('picture');
  const begin = lastro.turns();
  const buttons = [...document.querySelectorAll('[data-range]')];
  // The range requested, and the range shown.
  let range = '1y';
  let drawnRange = range;

  const press = () => {
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.range === drawnRange));
  };

  const refuse = (answer) => {
    if (answer.status === 401) lastro.key.forget();
    if (answer.status === 401 || answer.status === 403) prompt.hidden = false;
    else lastro.explain(state, answer);
  };

  /** Gives the picture and the code that embeds it the same comparison. */
  const comparePicture = (compare) => {
    const { pathname, searchParams } = new URL(picture.href);
    if (compare) searchParams.set('compare', compare);
    else searchParams.delete('compare');
    picture.setAttribute('href', `${pathname}?${searchParams}`);
    document.getElementById('picture-path').textContent = picture.getAttribute('href');
  };

  const draw = async () => {
    const isCurrent = begin();
    prompt.hidden = true;
    state.hidden = true;
    chart.setAttribute('aria-busy', 'true');
    const compare = select.value;
    const asked = new URLSearchParams({ range, compare, lang: document.documentElement.lang.slice(0, 2) });
    let answer;
    try {
      answer = await lastro.ask(`${chart.dataset.source}?${asked}`);
      const text = await answer.text();
      if (!isCurrent()) return;
      if (!answer.ok) {
        refuse(answer);
        return;
      }
      const drawn = new DOMParser().parseFromString(text, 'text/html').querySelector('figure');
      chart.replaceChildren(drawn);
      lastro.animate(drawn);
      drawnRange = range;
      press();
      comparePicture(compare);
      lastro.move(`${location.pathname}${compare ? `?${new URLSearchParams({ compare })}` : ''}`);
    } catch {
      if (isCurrent()) lastro.explain(state, answer);
    } finally {
      if (isCurrent()) chart.removeAttribute('aria-busy');
    }
  };

  for (const button of buttons) {
    button.addEventListener('click', () => {
      range = button.dataset.range;
      draw();
    });
  }
  select.addEventListener('change', () => {
    range = drawnRange;
    draw();
  });
  document.getElementById('compare-form').addEventListener('submit', (event) => {
    event.preventDefault();
    draw();
  });
  // A key entered at the history prompt is used for the requested range at once.
  document.addEventListener('keychange', () => {
    if (lastro.key.get() && !prompt.hidden) draw();
  });
})();
