// Companies and filings, requested with the reader's key. The view is kept in the URL fragment, which no server sees.
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
  // In Portuguese 16/11/2026, as on the other pages.
  const dateStyle = texts.language.startsWith('pt') ? 'short' : 'medium';
  const day = (text) => new Intl.DateTimeFormat(texts.language, { dateStyle, timeZone: 'UTC' }).format(new Date(text.slice(0, 10)));

  const say = (text) => {
    state.classList.remove('bad');
    state.textContent = text;
    state.hidden = !text;
  };

  const begin = lastro.turns();

  /** Returns the API's response body. Throws if the request fails or the reader has moved on meanwhile. */
  const ask = async (path, isCurrent) => {
    const answer = await lastro.ask(path);
    const body = answer.ok ? await answer.json() : null;
    if (body && isCurrent()) return body;
    throw Object.assign(new Error(`status ${answer.status}`), { answer, isLate: !isCurrent() });
  };

  const askForPlan = (needed, plan = '') => {
    const text = byId('prompt-text');
    text.textContent = text.dataset[needed].replace('{plan}', plan);
    prompt.hidden = false;
  };

  /** Shows an error: a prompt for another plan, or the text of explain(). */
  const fail = async ({ answer, isLate }) => {
    if (isLate) return;
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
    const title = make('a', 'title', company.name);
    title.href = `#company=${encodeURIComponent(company.id)}`;
    const meta = [company.tickers?.join(' '), company.cnpj, company.sector, company.status].filter(Boolean).join(' · ');
    hit.append(title, make('p', 'meta', meta));
    return hit;
  };

  // Only http(s) addresses become links. Text of publishers is never treated as markup.
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

  /** A button that loads the next page of results. */
  const moreButton = (go) => {
    const more = make('button', 'button quiet', texts.more);
    more.type = 'button';
    more.addEventListener('click', () => {
      more.disabled = true;
      go().then(() => more.remove(), (error) => {
        more.disabled = false;
        return fail(error);
      });
    });
    return more;
  };

  /** Appends results below the earlier ones. */
  const showFound = (found, { companies, filings }) => {
    found.companies.list.append(...companies.map(companyHit));
    found.filings.list.append(...filings.map((filing) => filingHit(filing, true)));
    for (const { made, list } of [found.companies, found.filings]) made.hidden = !list.childElementCount;
  };

  /** Message about a response: no results, a corrected query, or a relaxed one. */
  const toldOf = (q, { companies, filings, corrected, relaxed }) => {
    const meant = corrected?.companies ?? corrected?.filings;
    const text = !companies.length && !filings.length ? state.dataset.nothing
      : meant ? state.dataset.corrected : relaxed ? state.dataset.relaxed : '';
    // The query may contain text like our placeholders, so all are replaced in one pass.
    return text.replace(/{(q|corrected)}/g, (place, name) => (name === 'q' ? q : meant));
  };

  const search = async (q, isCurrent) => {
    input.value = q;
    const found = { companies: section(texts.companies), filings: section(texts.filings) };
    const next = async (offset) => {
      const answer = await ask(`/api/v1/search?${new URLSearchParams({ q, limit: PAGE, offset })}`, isCurrent);
      showFound(found, answer);
      const isFull = [answer.companies, answer.filings].some(({ length }) => length === PAGE);
      if (isFull) results.append(moreButton(() => next(offset + PAGE)));
      return answer;
    };
    const answer = await next(0);
    results.prepend(found.companies.made, found.filings.made);
    say(toldOf(q, answer));
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

  const showFilings = async (id, place, offset, isCurrent) => {
    const path = `/api/v1/companies/${encodeURIComponent(id)}/filings?${new URLSearchParams({ limit: PAGE, offset })}`;
    const { data, total } = await ask(path, isCurrent);
    const shown = offset + data.length;
    place.list.append(...data.map((filing) => filingHit(filing, false)));
    place.made.querySelector('small').textContent = texts.of.replace('{shown}', number(shown)).replace('{total}', number(total));
    if (!total) place.list.append(make('p', 'hit', texts.noFilings));
    if (shown < total) place.made.append(moreButton(() => showFilings(id, place, shown, isCurrent)));
  };

  const company = async (id, isCurrent) => {
    showCompany(await ask(`/api/v1/companies/${encodeURIComponent(id)}`, isCurrent));
    say('');
    const place = section(texts.filings);
    await showFilings(id, place, 0, isCurrent);
    results.append(place.made);
  };

  const go = async () => {
    const [at, isCurrent] = [new URLSearchParams(location.hash.slice(1)), begin()];
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
      await (at.get('company') ? company(at.get('company'), isCurrent) : search(at.get('q'), isCurrent));
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
