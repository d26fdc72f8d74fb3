// Usage of the reader's key, rendered from the API's report.
(() => {
  'use strict';
  const byId = (id) => document.getElementById(id);
  const [state, report] = ['state', 'report'].map(byId);
  const language = report.dataset.language;
  const SVG = 'http://www.w3.org/2000/svg';
  const begin = lastro.turns();
  const [HEIGHT, TOP, BOTTOM] = [220, 14, 26];
  const DAY = 86_400_000;

  const number = (value) => new Intl.NumberFormat(language).format(value);
  // In Portuguese 16/11/2026 and 16/11, as on the other pages.
  const [whole, short] = language.startsWith('pt') ? [{ dateStyle: 'short' }, { day: '2-digit', month: '2-digit' }]
    : [{ dateStyle: 'medium' }, { day: 'numeric', month: 'short' }];
  const date = (text, options) => new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...options }).format(new Date(text));

  const draw = (name, attributes, text) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };

  /** Every day of the report, oldest first, including days without requests. */
  const days = ({ from, to, data }) => {
    const known = new Map(data.map((row) => [row.date, row]));
    const all = [];
    for (let at = Date.parse(from); at <= Date.parse(to); at += DAY) {
      const name = new Date(at).toISOString().slice(0, 10);
      all.push({ name, ok: known.get(name)?.ok ?? 0, requests: known.get(name)?.requests ?? 0 });
    }
    return all;
  };

  /** Rounds up to a number whose half is whole too, since requests are counted in whole numbers. */
  const roundUp = (value) => {
    const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
    return [2, 4, 6, 10].map((step) => step * power).find((step) => step >= value);
  };

  /** Position of a label below its bar. Labels of the last days are right-aligned, since there is no room beyond. */
  const labelPlace = (place, count) => (place > count * 0.9
    ? { x: `${((place + 0.85) * 100) / count}%`, 'text-anchor': 'end' } : { x: `${((place + 0.15) * 100) / count}%` });

  const chart = (all) => {
    const highest = roundUp(Math.max(...all.map(({ requests }) => requests), 4));
    const plot = draw('svg', { class: 'plot', width: '100%', height: HEIGHT, role: 'img' });
    plot.append(draw('title', {}, byId('days-title').textContent));
    const y = (value) => TOP + (1 - value / highest) * (HEIGHT - TOP - BOTTOM);
    for (const value of [0, highest / 2, highest]) {
      plot.append(draw('line', { class: value ? 'grid' : 'foot', x1: 0, x2: '100%', y1: y(value), y2: y(value) }));
    }
    const width = 100 / all.length;
    all.forEach(({ ok, requests, name }, place) => {
      const x = `${place * width + width * 0.15}%`;
      const bar = (from, to, kind) => draw('rect', { class: `bars ${kind}`, x, width: `${width * 0.7}%`, y: y(to), height: Math.max(y(from) - y(to), 0) });
      const group = draw('g', {});
      group.append(draw('title', {}, `${date(name, whole)}: ${number(requests)}`), bar(0, ok, 'first'), bar(ok, requests, 'second'));
      plot.append(group);
      if (place % 7 === 1) plot.append(draw('text', { class: `tick${place % 14 === 1 ? '' : ' gives-way'}`, ...labelPlace(place, all.length), y: HEIGHT - 7 }, date(name, short)));
    });
    for (const value of [highest / 2, highest]) plot.append(draw('text', { class: 'value', x: 0, y: y(value) - 4 }, number(value)));
    return plot;
  };

  const row = (cells) => {
    const made = document.createElement('tr');
    cells.forEach((text, place) => {
      const cell = made.insertCell();
      cell.textContent = text;
      if (place) cell.className = 'number';
    });
    return made;
  };

  const show = (usage, left) => {
    byId('plan').textContent = usage.plan.charAt(0).toUpperCase() + usage.plan.slice(1);
    byId('rate').textContent = number(usage.rate_limit);
    byId('left').textContent = number(left);
    byId('total').textContent = number(usage.total);
    byId('days').replaceChildren(chart(days(usage)));
    byId('nothing').hidden = usage.total > 0;
    byId('days-table').replaceChildren(...usage.data.map((day) => row([
      date(day.date, whole), ...[day.requests, day.ok, day.client_errors, day.upgrade_required, day.rate_limited, day.server_errors].map(number),
    ])));
    byId('endpoints-table').replaceChildren(...usage.endpoints.map(({ endpoint, requests }) => row([endpoint, number(requests)])));
    report.hidden = false;
  };

  const load = async () => {
    const isCurrent = begin();
    report.hidden = true;
    state.classList.remove('bad');
    state.hidden = !lastro.key.get();
    if (!lastro.key.get()) return;
    state.textContent = state.dataset.loading;
    let answer;
    try {
      answer = await lastro.ask('/api/v1/plans/usage');
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const usage = await answer.json();
      // The key may have been removed meanwhile.
      if (!isCurrent()) return;
      show(usage, Number(answer.headers.get('X-RateLimit-Remaining')));
      state.hidden = true;
    } catch {
      if (isCurrent()) lastro.explain(state, answer);
    }
  };

  document.addEventListener('keychange', load);
  load();
})();
