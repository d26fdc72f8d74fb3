// Filters the catalogue while the reader types. Without this file the form sends the query to the server.
(() => {
  'use strict';
  const input = document.getElementById('q');
  const found = document.getElementById('found');
  const none = document.getElementById('none');
  const rows = [...document.querySelectorAll('.series-row')];
  const topics = [...document.querySelectorAll('.topic')];

  // Folds text as the server does: without accents, in lower case.
  const fold = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

  const filter = () => {
    const words = fold(input.value).split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      row.hidden = !words.every((word) => row.dataset.search.includes(word));
      count += row.hidden ? 0 : 1;
    }
    for (const topic of topics) topic.hidden = !topic.querySelector('.series-row:not([hidden])');
    none.hidden = count > 0;
    const text = count === 0 ? found.dataset.none : count === 1 ? found.dataset.one : found.dataset.many;
    found.textContent = text.replace('{count}', count);
  };

  input.addEventListener('input', filter);
  document.getElementById('filter').addEventListener('submit', (event) => {
    event.preventDefault();
    filter();
  });
})();
