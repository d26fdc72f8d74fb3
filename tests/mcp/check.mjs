// The official TypeScript client against a running service: both eras, every tool. It checks every answer against the
// output schema of its tool by itself, and fails the call otherwise.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const url = new URL(`${process.env.LASTRO_URL}/mcp`);
const calls = JSON.parse(readFileSync(new URL('calls.json', import.meta.url)));

async function connected(mode, key) {
    const headers = key ? { Authorization: `Bearer ${key}` } : {};
    const client = new Client({ name: 'lastro-check', version: '1.0.0' }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    return client;
}

for (const mode of ['legacy', 'auto', { pin: '2026-07-28' }]) {
    const client = await connected(mode, process.env.LASTRO_GOLD_KEY);
    const { tools } = await client.listTools();
    assert.equal(tools.length, 12);
    for (const [name, args] of calls) {
        const result = await client.callTool({ name, arguments: args });
        assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
        assert.ok(result.structuredContent.rest.startsWith('http'));
    }
    const { resources } = await client.listResources();
    for (const { uri } of resources) {
        const { contents } = await client.readResource({ uri });
        assert.ok(contents[0].text.startsWith('# '), uri);
    }
    await client.close();

    const stranger = await connected(mode);
    const refused = await stranger.callTool({ name: 'lastro_company', arguments: { id: '90001' } });
    assert.ok(refused.isError);
    assert.equal(JSON.parse(refused.content[0].text).error, 'upgrade_required');
    await stranger.close();
    console.log(`TypeScript, ${JSON.stringify(mode)}: ${calls.length} calls, ${resources.length} resources`);
}
