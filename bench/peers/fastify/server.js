// Fastify over SQLite for the same questions: `node server.js DATABASE HOST PORT`. A key as a fourth argument adds the
// work of duties.js.
// It has response schemas, as Fastify advises for speed, and statements prepared once, as better-sqlite3 advises.
import Database from 'better-sqlite3';
import Fastify from 'fastify';

import { takeOn } from './duties.js';

const [path, host, port, key] = process.argv.slice(2);
const database = new Database(path, { readonly: true, fileMustExist: true });
database.pragma('mmap_size = 4294967296');
database.pragma('cache_size = -65536');

const FILING = `CAST(f.id AS TEXT) AS id, f.company_id, f.company_name, f.category, f.date, f.description, f.type,
  f.reference_date, f.version, f.url`;
const BY_DAYS = `f.date BETWEEN @from AND @to || 'T23:59:59'`;
const BY_CATEGORY = `f.category = @category AND ${BY_DAYS}`;
const ORDER = 'ORDER BY f.date DESC, f.id DESC';

const current = database.prepare('SELECT date, value FROM selic ORDER BY date DESC LIMIT 1');
const series = database.prepare(
  'SELECT date, value FROM selic WHERE date BETWEEN @from AND @to ORDER BY date DESC LIMIT @limit');
const company = database.prepare('SELECT * FROM company WHERE id = ?');
const counted = (where) => ({
  total: database.prepare(`SELECT COUNT(*) FROM filing f WHERE ${where}`).pluck(),
  // The inner query skips to the page within the index, without reading the skipped rows.
  page: database.prepare(`SELECT ${FILING} FROM filing f
    JOIN (SELECT f.id FROM filing f WHERE ${where} ${ORDER} LIMIT @limit OFFSET @offset) USING (id) ${ORDER}`),
});
const byDays = counted(BY_DAYS);
const byCategory = counted(BY_CATEGORY);
const search = {
  total: database.prepare('SELECT COUNT(*) FROM filing_words WHERE filing_words MATCH @q').pluck(),
  page: database.prepare(`SELECT ${FILING} FROM filing_words JOIN filing f ON f.id = filing_words.rowid
    WHERE filing_words MATCH @q ORDER BY rank LIMIT @limit OFFSET @offset`),
};

const text = { type: 'string' };
const textOrNull = { type: 'string', nullable: true };
const ratePoint = { type: 'object', properties: { date: text, value: { type: 'number' } } };
const companySchema = {
  type: 'object',
  properties: {
    id: text, name: text, cnpj: text, status: text, sector: textOrNull, trading_name: textOrNull, registered_on: textOrNull,
  },
};
const filingSchema = {
  type: 'object',
  properties: {
    id: text, company_id: text, company_name: text, category: text, date: text, description: text, type: textOrNull,
    reference_date: textOrNull, version: { type: 'integer' }, url: text,
  },
};
const list = (items, more = {}) => ({ type: 'object', properties: { data: { type: 'array', items }, ...more } });
const page = list(filingSchema, { total: { type: 'integer' }, limit: { type: 'integer' }, offset: { type: 'integer' } });
const answers = (schema, querystring) => ({ schema: { response: { 200: schema }, ...(querystring && { querystring }) } });
const paging = { limit: { type: 'integer', default: 20 }, offset: { type: 'integer', default: 0 } };
const days = { from: { type: 'string', default: '0000-01-01' }, to: { type: 'string', default: '9999-12-31' } };

const app = Fastify();
if (key) await takeOn(app, key);
// Queries are copied for SQLite, because better-sqlite3 accepts only plain objects.
app.get('/api/v1/market/selic/current', answers(ratePoint), async () => current.get());
app.get('/api/v1/market/selic', answers(list(ratePoint), { type: 'object', properties: { ...days, ...paging } }),
  async ({ query }) => ({ data: series.all({ ...query }) }));
app.get('/api/v1/companies/:id', answers(companySchema), async ({ params }, reply) =>
  company.get(params.id) ?? reply.code(404).send({ error: 'not_found' }));
app.get('/api/v1/filings',
  answers(page, { type: 'object', properties: { ...days, ...paging, category: text } }),
  async ({ query }) => answerPage(query.category === undefined ? byDays : byCategory, { ...query }));
app.get('/api/v1/filings/search',
  answers(page, { type: 'object', required: ['q'], properties: { ...paging, q: text } }),
  // In quotes it is one word, with any characters.
  async ({ query }) => answerPage(search, { ...query, q: `"${query.q.replaceAll('"', '""')}"` }));

function answerPage(statements, query) {
  const total = statements.total.get(query);
  return { data: statements.page.all(query), total, limit: query.limit, offset: query.offset };
}

await app.listen({ host, port: Number(port) });
