// Calls the service with the types that openapi-typescript generates from the description.
import type { paths } from './api.js';

declare const process: { env: Record<string, string> };

type Get = { [Path in keyof paths]: paths[Path] extends { get: object } ? Path : never }[keyof paths];
type Answer<Path extends Get> = paths[Path]['get'] extends { responses: { 200: { content: { 'application/json': infer Body } } } }
    ? Body
    : never;

async function get<Path extends Get>(path: Path, query = '', address: string = path): Promise<Answer<Path>> {
    const response = await fetch(`${process.env['LASTRO_URL']}${address}?${query}`, {
        headers: { 'X-API-Key': process.env['LASTRO_GOLD_KEY'] ?? '' },
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Answer<Path>;
}

const overview = await get('/api/v1/market/overview');
const selic: number = overview.selic.value;
const observations = await get('/api/v1/series/{id}/observations', 'limit=3', '/api/v1/series/ipca/observations');
const rows: number = observations.data.length;
const corrected = await get('/api/v1/calc/correction', 'index=ipca&from=2026-01&to=2026-06&amount=1000');
const month: string = corrected.receipt[0]?.month ?? '';
if (!(selic > 0) || rows !== 3 || month !== '2026-01') throw new Error(JSON.stringify([selic, rows, month]));
console.log('openapi-typescript: three operations');
