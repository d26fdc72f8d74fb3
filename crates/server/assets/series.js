// The chart of a series over other ranges, and beside another series. The server draws; with a Gold key it draws further back.
(() => {
  'use strict';
  const chart = document.getElementById('chart');
  const state = document.getElementById('chart-state');
  const prompt = document.getElementById('history-prompt');
  const select = document.getElementById('compare');
  const buttons = [...document.querySelectorAll('[data-range]')];
  // What is wanted, and what is drawn.
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

  const draw = async () => {
    prompt.hidden = true;
    state.hidden = true;
    chart.setAttribute('aria-busy', 'true');
    const asked = new URLSearchParams({ range, compare: select.value, lang: document.documentElement.lang.slice(0, 2) });
    let answer;
    try {
      answer = await lastro.ask(`${chart.dataset.source}?${asked}`);
      const text = await answer.text();
      if (!answer.ok) {
        refuse(answer);
        return;
      }
      const drawn = new DOMParser().parseFromString(text, 'text/html').querySelector('figure');
      chart.replaceChildren(drawn);
      lastro.animate(drawn);
      drawnRange = range;
      press();
    } catch {
      lastro.explain(state, answer);
    } finally {
      chart.removeAttribute('aria-busy');
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
  // A key that was entered for the sake of a range is used for it at once.
  document.addEventListener('keychange', () => {
    if (lastro.key.get() && !prompt.hidden) draw();
  });
})();
