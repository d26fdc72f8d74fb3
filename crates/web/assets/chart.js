// Shows the value nearest to the pointer or selected by arrow keys. Coordinates come from the table behind the chart.
(() => {
  'use strict';
  const SVG = 'http://www.w3.org/2000/svg';

  const element = (name, attributes) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };

  /** The values of each series, oldest first. */
  const read = (figure) => [...figure.querySelectorAll('table[data-series]')].map((table) => ({
    name: table.dataset.series,
    steps: 'steps' in table.dataset,
    points: [...table.querySelectorAll('tr[data-x]')].reverse().map((row) => ({
      x: Number(row.dataset.x), y: Number(row.dataset.y), period: row.cells[0].textContent, value: row.cells[1].textContent,
    })),
  }));

  /** Index of the value nearest to `x`, or for steps of the value that holds there. */
  const placeAt = ({ points, steps }, x) => {
    let best = 0;
    for (let place = 1; place < points.length; place += 1) {
      const nearer = Math.abs(points[place].x - x) <= Math.abs(points[best].x - x);
      if (steps ? points[place].x <= x : nearer) best = place;
    }
    return best;
  };

  const animate = (figure) => {
    const plot = figure.querySelector('.plot');
    const series = read(figure);
    if (!plot || !series[0]?.points.length) return;
    const picture = plot.parentElement;
    const height = plot.getAttribute('height');
    const cross = element('line', { class: 'cross', y1: 10, y2: height - 26, visibility: 'hidden' });
    const marks = series.map(({ name }) => element('circle', { class: `mark ${name}`, r: 4.5, visibility: 'hidden' }));
    plot.append(cross, ...marks);
    const tip = document.createElement('div');
    tip.className = 'tip';
    tip.hidden = true;
    picture.append(tip);
    let at = -1;

    const hide = () => {
      tip.hidden = true;
      for (const part of [cross, ...marks]) part.setAttribute('visibility', 'hidden');
      at = -1;
    };

    const show = (place, pointer) => {
      at = Math.max(0, Math.min(place, series[0].points.length - 1));
      const first = series[0].points[at];
      const x = series[0].steps && pointer !== undefined ? pointer : first.x;
      const told = series.map((one, number) => (number ? one.points[placeAt(one, x)] : first));
      cross.setAttribute('x1', `${x / 10}%`);
      cross.setAttribute('x2', `${x / 10}%`);
      cross.setAttribute('visibility', 'visible');
      told.forEach((point, number) => {
        marks[number].setAttribute('cx', `${(series[number].steps ? x : point.x) / 10}%`);
        marks[number].setAttribute('cy', point.y);
        marks[number].setAttribute('visibility', 'visible');
      });
      tip.replaceChildren(...told.flatMap((point, number) => {
        const value = document.createElement('strong');
        value.textContent = point.value;
        if (told.length > 1) value.className = series[number].name;
        return [value, document.createTextNode(point.period)];
      }));
      tip.hidden = false;
      const width = plot.clientWidth;
      const start = plot.getBoundingClientRect().left - picture.getBoundingClientRect().left;
      const left = Math.min(Math.max((x / 1000) * width - tip.offsetWidth / 2, 0), width - tip.offsetWidth);
      const top = Math.min(...told.map(({ y }) => y)) - tip.offsetHeight - 14;
      tip.style.transform = `translate(${start + left}px, ${Math.max(top, -12)}px)`;
    };

    plot.addEventListener('pointermove', (event) => {
      const box = plot.getBoundingClientRect();
      const x = Math.min(Math.max(((event.clientX - box.left) / box.width) * 1000, 0), 1000);
      show(placeAt(series[0], x), x);
    });
    plot.addEventListener('pointerleave', hide);
    plot.setAttribute('tabindex', '0');
    plot.addEventListener('blur', hide);
    plot.addEventListener('keydown', (event) => {
      const last = series[0].points.length - 1;
      const next = { ArrowLeft: (at < 0 ? last + 1 : at) - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
      if (event.key === 'Escape') hide();
      if (next === undefined) return;
      event.preventDefault();
      show(next);
    });
  };

  globalThis.lastro = Object.assign(globalThis.lastro ?? {}, { animate });
  for (const figure of document.querySelectorAll('[data-chart]')) animate(figure);
})();
