"""Rules for the generator that OpenAPI 3.0 cannot express."""

import itertools

import schemathesis

_clients = itertools.count()


def adjust_query(query):
    """Puts `from` before `to`, and asks for numbers: the description has the types of these, not of decimals as strings.

    Both ends of a period have the same schema, so swapping them keeps a case valid or invalid. Nothing changes during
    the run, so a valid wait is cut short.
    """
    if isinstance(query, dict):
        start, end = query.get("from"), query.get("to")
        if isinstance(start, str) and isinstance(end, str) and start > end:
            query["from"], query["to"] = end, start
        if query.get("numbers") == "string":
            query["numbers"] = "number"
        if str(query.get("wait")) in map(str, range(1, 26)):
            query["wait"] = 0


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
    adjust_query(case.query)
    number = next(_clients)
    address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    case.headers = {**(case.headers or {}), "X-Forwarded-For": address}
