"""The official Python client against a running service: both eras, every tool, plans and quota.

LASTRO_URL, LASTRO_GOLD_KEY and LASTRO_SCARCE_KEY (three requests a minute) name the service and its keys.
`--transcript` prints a question and its answer, for docs/mcp.md.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

import httpx2
from jsonschema import Draft202012Validator
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

URL = os.environ["LASTRO_URL"] + "/mcp"
CALLS = json.loads((Path(__file__).parent / "calls.json").read_text())
MODES = ["legacy", "auto", "2026-07-28"]


def client(mode, key=None):
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return Client(streamable_http_client(URL, http_client=httpx2.AsyncClient(headers=headers)), mode=mode)


async def every_tool(mode):
    async with client(mode, os.environ["LASTRO_GOLD_KEY"]) as mcp:
        tools = {tool.name: tool for tool in (await mcp.list_tools()).tools}
        assert len(tools) == 12, list(tools)
        assert {name for name, _ in CALLS} == set(tools), "a tool without a call"
        for name, arguments in CALLS:
            Draft202012Validator(tools[name].input_schema).validate(arguments)
            result = await mcp.call_tool(name, arguments)
            assert not result.is_error, (name, result.content)
            Draft202012Validator(tools[name].output_schema).validate(result.structured_content)
            assert result.content[0].text and result.structured_content["rest"].startswith("http")
        resources = (await mcp.list_resources()).resources
        for resource in resources:
            read = await mcp.read_resource(resource.uri)
            assert read.contents[0].text.startswith("# "), resource.uri
        return f"{len(CALLS)} calls of {len(tools)} tools, {len(resources)} resources, {mcp.protocol_version}"


async def plans_and_quota(mode):
    async with client(mode) as mcp:
        refused = await mcp.call_tool("lastro_search_filings", {"q": "dividendos"})
        assert refused.is_error and json.loads(refused.content[0].text)["required_plan"] == "gold"
        wrong = await mcp.call_tool("lastro_observations", {"id": "ipca", "start": "2026-01-01"})
        assert wrong.is_error and "`start`" in wrong.content[0].text and "from" in wrong.content[0].text


async def used_up():
    key = os.environ["LASTRO_SCARCE_KEY"]
    async with client("2026-07-28", key) as mcp:
        for _ in range(3):
            await mcp.list_tools()
            assert not (await mcp.call_tool("lastro_current", {})).is_error
        try:
            await mcp.call_tool("lastro_current", {})
        except (MCPError, httpx2.HTTPStatusError):
            return
        raise AssertionError("a fourth call was admitted")


async def transcript():
    async with client("2026-07-28") as mcp:
        arguments = {"index": "ipca", "from": "2024-01", "to": "2026-09", "amount": 1000, "limit": 2}
        result = await mcp.call_tool("lastro_correction", arguments)
        print(json.dumps({"name": "lastro_correction", "arguments": arguments}, ensure_ascii=False))
        print(result.content[0].text)
        print(json.dumps(result.structured_content, ensure_ascii=False, indent=1))


async def main():
    if "--transcript" in sys.argv:
        return await transcript()
    for mode in MODES:
        told = await every_tool(mode)
        await plans_and_quota(mode)
        print(f"Python, {mode}: {told}")
    return await used_up()


asyncio.run(main())
