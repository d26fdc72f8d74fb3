"""What the generator must know and OpenAPI 3.0 cannot say."""

import itertools

import schemathesis

_clients = itertools.count()


@schemathesis.hook
def map_query(context, query):
    """`from` must not be after `to`. Both have one schema, so exchanging them keeps a case valid or invalid."""
    if isinstance(query, dict):
        start, end = query.get("from"), query.get("to")
        if isinstance(start, str) and isinstance(end, str) and start > end:
            query["from"], query["to"] = end, start
    return query


@schemathesis.hook
def map_body(context, body):
    """Addresses that are well-formed lead to a name that never resolves: no generated webhook makes the server call out."""
    url = body.get("url") if isinstance(body, dict) else None
    # One that is too long must be refused, so it stays as it is.
    if isinstance(url, str) and url.startswith("https://") and len(url) <= 2048:
        body["url"] = "https://receiver.invalid/"
    return body


@schemathesis.hook
def before_call(context, case, kwargs):
    """Requests without a key are limited per client address, so each case comes from an address of its own."""
    number = next(_clients)
    address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    case.headers = {**(case.headers or {}), "X-Forwarded-For": address}
