// Downloads what a page shows as CSV, from the API with the reader's key: the plan decides there.
(() => {
  'use strict';
  const [state, plan] = ['csv-state', 'csv-plan'].map((id) => document.getElementById(id));
  const PAGE = 10_000;

  const locale = document.documentElement.lang === 'pt-BR' ? 'pt-BR' : 'en';

  /** The rows of a call as one file. `isWhole` loads all pages, without the header row of later ones. */
  const load = async (call, query, isWhole) => {
    const parts = [];
    let name = 'lastro.csv';
    for (let [offset, total] = [0, 1]; offset < total; offset += PAGE) {
      const asked = new URLSearchParams({ ...query, offset, format: 'csv', locale });
      const answer = await lastro.ask(`${call}${call.includes('?') ? '&' : '?'}${asked}`, 'text/csv');
      if (!answer.ok) throw Object.assign(new Error(`status ${answer.status}`), { answer });
      total = isWhole ? Number(answer.headers.get('X-Total-Count')) : 1;
      name = answer.headers.get('Content-Disposition')?.match(/filename="([^"]+)"/)?.[1] ?? name;
      // Bytes, because reading it as a text would drop the byte order mark that Excel looks for.
      const bytes = new Uint8Array(await answer.arrayBuffer());
      parts.push(offset ? bytes.subarray(bytes.indexOf(10) + 1) : bytes);
    }
    return { name, file: new Blob(parts, { type: 'text/csv' }) };
  };

  const save = ({ name, file }) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(file);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };

  /** Saves a file for each of these calls, or says why not. */
  const download = async (button, calls) => {
    state.hidden = true;
    plan.hidden = true;
    button.disabled = true;
    try {
      for (const { call, query, isWhole } of calls) save(await load(call, query, isWhole));
    } catch ({ answer }) {
      if (answer?.status !== 403) {
        lastro.explain(state, answer);
        return;
      }
      // An unread body keeps its connection busy.
      answer.text().catch(() => {});
      plan.hidden = false;
    } finally {
      button.disabled = false;
    }
  };

  /** The values that the charts within `place` show. */
  const shown = (place) => [...document.querySelectorAll(`${place} table[data-call]`)].map(({ dataset: { call, first } }) =>
    ({ call, query: { from: first, limit: PAGE }, isWhole: true }));

  for (const button of document.querySelectorAll('[data-csv]')) {
    button.addEventListener('click', () => download(button, shown(button.dataset.csv)));
  }
  globalThis.lastro = Object.assign(globalThis.lastro ?? {}, { download });
})();
