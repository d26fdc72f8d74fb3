"""Rules for the generator that OpenAPI 3.0 cannot express."""

import itertools

import schemathesis

_clients = itertools.count()


@schemathesis.hook
def map_query(context, query):
    """Puts `from` before `to`. Both have the same schema, so swapping them keeps a case valid or invalid."""
    if isinstance(query, dict):
        start, end = query.get("from"), query.get("to")
        if isinstance(start, str) and isinstance(end, str) and start > end:
            query["from"], query["to"] = end, start
    return query


@schemathesis.hook
def map_body(context, body):
    """Replaces valid addresses by a host that never resolves, so that no generated webhook makes the server connect."""
    url = body.get("url") if isinstance(body, dict) else None
    # An address that is too long must be rejected, so it stays.
    if isinstance(url, str) and url.startswith("https://") and len(url) <= 2048:
        body["url"] = "https://receiver.invalid/"
    return body


@schemathesis.hook
def before_call(context, case, kwargs):
    """Gives each case its own address, because requests without a key are limited by client address."""
    number = next(_clients)
    address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    case.headers = {**(case.headers or {}), "X-Forwarded-For": address}
