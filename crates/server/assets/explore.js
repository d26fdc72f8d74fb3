// Companies and filings, with the reader's key. What is looked at stands behind the # of the address, which no server sees.
(() => {
  'use strict';
  const byId = (id) => document.getElementById(id);
  const [form, input, state, prompt, results] = ['search', 'q', 'state', 'prompt', 'results'].map(byId);
  const texts = results.dataset;
  const PAGE = 20;

  const make = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const number = (value) => new Intl.NumberFormat(texts.language).format(value);
  const day = (text) => new Intl.DateTimeFormat(texts.language, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(text.slice(0, 10)));

  const say = (text) => {
    state.classList.remove('bad');
    state.textContent = text;
    state.hidden = !text;
  };

  const ask = async (path) => {
    const answer = await lastro.ask(path);
    if (answer.ok) return answer.json();
    throw Object.assign(new Error(`status ${answer.status}`), { answer });
  };

  const askForPlan = (needed, plan = '') => {
    const text = byId('prompt-text');
    text.textContent = text.dataset[needed].replace('{plan}', plan);
    prompt.hidden = false;
  };

  /** Shows why there is nothing: another plan is needed, or what explain() knows. */
  const fail = async ({ answer }) => {
    say('');
    if (answer?.status !== 403) {
      lastro.explain(state, answer);
      return;
    }
    const { plan, required_plan: needed } = await answer.json();
    const name = plan.charAt(0).toUpperCase() + plan.slice(1);
    askForPlan(needed === 'gold' ? 'gold' : 'bronze', name);
  };

  const section = (title) => {
    const made = make('section', 'hits');
    const heading = make('h2', '', title);
    heading.append(make('small'));
    const list = make('div', 'scroll');
    made.append(heading, list);
    return { made, list };
  };

  const companyHit = (company) => {
    const hit = make('article', 'hit');
    const title = make('button', 'title', company.name);
    title.type = 'button';
    title.addEventListener('click', () => { location.hash = `company=${encodeURIComponent(company.id)}`; });
    const meta = [company.tickers?.join(' '), company.cnpj, company.sector, company.status].filter(Boolean).join(' · ');
    hit.append(title, make('p', 'meta', meta));
    return hit;
  };

  // Only links to the outside world; what a publisher wrote is text and never markup.
  const documentLink = (address) => {
    if (!/^https?:\/\//.test(address ?? '')) return null;
    const link = make('a', '', texts.document);
    link.href = address;
    link.rel = 'noreferrer noopener external';
    return link;
  };

  const filingHit = (filing, withCompany) => {
    const hit = make('article', 'hit');
    const title = make('p', '', '');
    title.append(make('strong', '', filing.category));
    const meta = [day(filing.date), withCompany ? filing.company_name : null, filing.type].filter(Boolean).join(' · ');
    hit.append(title, make('p', 'meta', meta));
    if (filing.description) hit.append(make('p', '', filing.description));
    const link = documentLink(filing.url);
    if (link) hit.append(link);
    return hit;
  };

  const facts = (pairs) => {
    const list = make('dl', 'facts');
    for (const [name, value] of pairs.filter(([, value]) => value)) {
      const row = make('div');
      row.append(make('dt', '', name), make('dd', '', value));
      list.append(row);
    }
    return list;
  };

  const showResults = (q, answer) => {
    const { companies, filings } = answer;
    results.replaceChildren();
    const corrected = answer.corrected?.companies ?? answer.corrected?.filings;
    say(!companies.length && !filings.length ? state.dataset.nothing.replace('{q}', q)
      : corrected ? state.dataset.corrected.replace('{q}', q).replace('{corrected}', corrected) : '');
    if (companies.length) {
      const { made, list } = section(texts.companies);
      list.append(...companies.map(companyHit));
      results.append(made);
    }
    if (filings.length) {
      const { made, list } = section(texts.filings);
      list.append(...filings.map((filing) => filingHit(filing, true)));
      results.append(made);
    }
  };

  const search = async (q) => {
    input.value = q;
    showResults(q, await ask(`/api/v1/search?${new URLSearchParams({ q, limit: PAGE })}`));
  };

  const showCompany = (company) => {
    const head = make('section', 'company-head');
    const back = make('a', '', texts.back);
    back.href = input.value ? `#q=${encodeURIComponent(input.value)}` : '#';
    const title = make('h2', '', company.name);
    title.tabIndex = -1;
    head.append(back, title, facts([
      [texts.code, company.id], ['CNPJ', company.cnpj], [texts.tickers, company.tickers?.join(', ')],
      [texts.sector, company.sector], [texts.status, company.status],
      [texts.registered, company.registered_on && day(company.registered_on)],
    ]));
    results.replaceChildren(head);
    title.focus();
  };

  const showFilings = async (id, place, offset = 0) => {
    const path = `/api/v1/companies/${encodeURIComponent(id)}/filings?${new URLSearchParams({ limit: PAGE, offset })}`;
    const { data, total } = await ask(path);
    const shown = offset + data.length;
    place.list.append(...data.map((filing) => filingHit(filing, false)));
    place.made.querySelector('small').textContent = texts.of.replace('{shown}', number(shown)).replace('{total}', number(total));
    if (!total) place.list.append(make('p', 'hit', texts.noFilings));
    place.made.querySelector('.button')?.remove();
    if (shown < total) {
      const more = make('button', 'button quiet', texts.more);
      more.type = 'button';
      more.addEventListener('click', () => showFilings(id, place, shown).catch(fail));
      place.made.append(more);
    }
  };

  const company = async (id) => {
    showCompany(await ask(`/api/v1/companies/${encodeURIComponent(id)}`));
    say('');
    const place = section(texts.filings);
    await showFilings(id, place);
    results.append(place.made);
  };

  const go = async () => {
    const at = new URLSearchParams(location.hash.slice(1));
    prompt.hidden = true;
    results.replaceChildren();
    if (!lastro.key.get()) {
      say('');
      askForPlan('none');
      return;
    }
    if (!at.get('company') && !at.get('q')) {
      say('');
      return;
    }
    say(state.dataset.loading);
    try {
      await (at.get('company') ? company(at.get('company')) : search(at.get('q')));
    } catch (error) {
      await fail(error);
    }
  };

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const wanted = `#q=${encodeURIComponent(input.value.trim())}`;
    if (location.hash === wanted) go();
    else location.hash = wanted;
  });
  addEventListener('hashchange', go);
  document.addEventListener('keychange', go);
  go();
})();
