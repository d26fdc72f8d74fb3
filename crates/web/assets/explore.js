// Companies and filings, requested with the reader's key. Search and filters are in the address, so that it can be shared.
(() => {
  'use strict';
  const byId = (id) => document.getElementById(id);
  const [form, state, prompt, results, take, csv, feed, feedMade, filters] =
    ['search', 'state', 'prompt', 'results', 'take', 'csv', 'feed', 'feed-made', 'filters'].map(byId);
  const texts = results.dataset;
  const PAGE = 20;
  // A file has so many rows at most, so the lists end there too.
  const MOST = 1000;
  const FILTERS = ['category', 'from', 'to', 'company_id'];
  // The list shown, as a call that gives it as CSV.
  let listed = null;
  const pageTitle = document.title;

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
    if (answer?.status === 400 || answer?.status === 404) {
      // An unread body keeps its connection busy.
      answer.text().catch(() => {});
      say(answer.status === 404 && texts.company ? state.dataset.absent : state.dataset.invalid);
      return;
    }
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
    // The search is kept for the way back.
    title.href = `/explore/companies/${encodeURIComponent(company.id)}#${location.search.slice(1)}`;
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
    const found = { companies: section(texts.companies), filings: section(texts.filings) };
    const call = `/api/v1/search?${new URLSearchParams({ q })}`;
    const next = async (offset) => {
      const answer = await ask(`${call}&${new URLSearchParams({ limit: PAGE, offset })}`, isCurrent);
      const [lengths, shown] = [[answer.companies.length, answer.filings.length], offset + PAGE];
      showFound(found, answer);
      if (lengths.some(Boolean)) listed = { call, query: { limit: shown } };
      if (lengths.includes(PAGE) && shown < MOST) results.append(moreButton(() => next(shown)));
      return answer;
    };
    const answer = await next(0);
    results.prepend(found.companies.made, found.filings.made);
    say(toldOf(q, answer));
  };

  const showCompany = (company) => {
    const head = make('section', 'company-head');
    const back = make('a', '', texts.back);
    back.href = location.hash.length > 1 ? `/explore?${location.hash.slice(1)}` : '/explore';
    const title = make('h2', '', company.name);
    title.tabIndex = -1;
    head.append(back, title, facts([
      [texts.code, company.id], ['CNPJ', company.cnpj], [texts.tickers, company.tickers?.join(', ')],
      [texts.sector, company.sector], [texts.status, company.status],
      [texts.registered, company.registered_on && day(company.registered_on)],
    ]));
    results.replaceChildren(head);
    // A function, because a name may have what a replacement would read as a pattern.
    document.title = pageTitle.replace(texts.company, () => company.name);
    title.focus();
  };

  /** The call for filings with these filters, of the company of this page or of all. */
  const filingsCall = (asked) => {
    const query = new URLSearchParams(asked);
    const isOfCompany = texts.company && !asked.has('q');
    if (texts.company && asked.has('q')) query.set('company_id', texts.company);
    const path = isOfCompany ? `companies/${encodeURIComponent(texts.company)}/filings` : asked.has('q') ? 'filings/search' : 'filings';
    return `/api/v1/${path}${query.size ? `?${query}` : ''}`;
  };

  const showFilings = async (asked, place, offset, isCurrent) => {
    const call = filingsCall(asked);
    const answer = await ask(`${call}${call.includes('?') ? '&' : '?'}${new URLSearchParams({ limit: PAGE, offset })}`, isCurrent);
    const { data, total, corrected, relaxed } = answer;
    const shown = offset + data.length;
    listed = { call, query: { limit: Math.max(shown, 1) }, isOfFilings: true };
    place.list.append(...data.map((filing) => filingHit(filing, !texts.company)));
    place.made.querySelector('small').textContent = texts.of.replace('{shown}', number(shown)).replace('{total}', number(total));
    if (!total) place.list.append(make('p', 'hit', texts.noFilings));
    if (shown < total && shown < MOST) place.made.append(moreButton(() => showFilings(asked, place, shown, isCurrent)));
    say(asked.has('q') ? toldOf(asked.get('q'), {
      companies: [], filings: data, corrected: corrected && { filings: corrected }, relaxed,
    }) : '');
  };

  const filings = async (asked, isCurrent) => {
    const place = section(texts.filings);
    await showFilings(asked, place, 0, isCurrent);
    results.append(place.made);
  };

  const company = async (asked, isCurrent) => {
    showCompany(await ask(`/api/v1/companies/${encodeURIComponent(texts.company)}`, isCurrent));
    say('');
    await filings(asked, isCurrent);
  };

  /** The search and the filters of the address, in the form too. */
  const read = () => {
    const [given, asked] = [new URLSearchParams(location.search), new URLSearchParams()];
    for (const name of ['q', ...FILTERS]) {
      const [field, value] = [form.elements[name], given.get(name)?.trim() ?? ''];
      if (!field) continue;
      field.value = value;
      if (value) asked.set(name, value);
    }
    if (FILTERS.some((name) => asked.has(name))) filters.open = true;
    return asked;
  };

  const show = (asked, isCurrent) => {
    if (texts.company) return company(asked, isCurrent);
    return FILTERS.some((name) => asked.has(name)) ? filings(asked, isCurrent) : search(asked.get('q'), isCurrent);
  };

  const go = async () => {
    const [asked, isCurrent] = [read(), begin()];
    prompt.hidden = true;
    take.hidden = true;
    listed = null;
    results.replaceChildren();
    say('');
    if (!lastro.key.get()) {
      askForPlan('none');
      return;
    }
    if (!texts.company && !asked.size) return;
    say(state.dataset.loading);
    try {
      await show(asked, isCurrent);
    } catch (error) {
      await fail(error);
    }
    if (!isCurrent()) return;
    take.hidden = !results.childElementCount;
    csv.hidden = !listed;
    // A feed has filings and no days, so a search for companies too and a period alone are none for one.
    feed.hidden = !listed?.isOfFilings || !(texts.company || ['q', 'category', 'company_id'].some((name) => asked.has(name)));
    feedMade.hidden = true;
  };

  /** Saves the search as a feed, and shows its address. Days are left out: a feed has what is new. */
  const saveFeed = async () => {
    const asked = read();
    const [q, category, company] = [asked.get('q'), asked.get('category'), texts.company || asked.get('company_id')];
    const wanted = { name: [q, category, company].filter(Boolean).join(', ').slice(0, 100) };
    if (q) wanted.q = q;
    if (category) wanted.categories = [category];
    if (company) wanted.company_ids = company.split(',').map((id) => id.trim());
    feed.disabled = true;
    try {
      const answer = await lastro.ask('/api/v1/feeds', 'application/json', JSON.stringify(wanted));
      if (!answer.ok) throw Object.assign(new Error(`status ${answer.status}`), { answer });
      const link = feedMade.querySelector('a');
      link.href = (await answer.json()).url;
      link.textContent = link.href;
      feedMade.hidden = false;
    } catch (error) {
      await fail(error);
    } finally {
      feed.disabled = false;
    }
  };

  const open = (asked) => {
    const address = `${location.pathname}${asked.size ? `?${asked}` : ''}`;
    if (address !== `${location.pathname}${location.search}`) history.pushState(null, '', address);
    lastro.move(address);
    go();
  };

  // The categories are asked for when somebody wants to choose one; the list is a help only, and needs a Gold key.
  form.elements.category.addEventListener('focus', async () => {
    if (!lastro.key.get()) return;
    try {
      const { data } = await ask('/api/v1/filings/categories', () => true);
      byId('categories').replaceChildren(...data.map(({ category }) => new Option(category)));
    } catch ({ answer }) {
      answer?.text().catch(() => {});
    }
  }, { once: true });

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const typed = [...new FormData(form)].map(([name, value]) => [name, value.trim()]);
    open(new URLSearchParams(typed.filter(([, value]) => value)));
  });
  feed.addEventListener('click', saveFeed);
  csv.addEventListener('click', () => lastro.download(csv, [listed]));
  addEventListener('popstate', () => {
    lastro.move(`${location.pathname}${location.search}${location.hash}`);
    go();
  });
  document.addEventListener('keychange', go);
  // Addresses of before had the search in the fragment.
  const old = new URLSearchParams(location.hash.slice(1));
  if (!texts.company && old.get('company')) location.replace(`/explore/companies/${encodeURIComponent(old.get('company'))}`);
  else if (!texts.company && old.get('q')) open(new URLSearchParams({ q: old.get('q') }));
  else {
    lastro.move(`${location.pathname}${location.search}${location.hash}`);
    go();
  }
})();
