"""Checks a dashboard against Grafana's own schema: every field is one that Grafana knows. Also that panels have ids of
their own and do not overlap. Called by scripts/deploy-check.

    dashboard.py DASHBOARD
"""

import itertools
import json
import sys

from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard


def lost(before, after, path="dashboard"):
    """The fields that Grafana's types do not keep as they are."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name, value in before.items():
            yield from lost(value, after[name], f"{path}.{name}") if name in after else [f"{path}.{name}"]
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, pair in enumerate(zip(before, after)):
            yield from lost(*pair, f"{path}[{number}]")
    elif before != after:
        yield path


def overlap(one, other):
    def apart(start, length):
        return one[start] + one[length] <= other[start] or other[start] + other[length] <= one[start]

    return not apart("x", "w") and not apart("y", "h")


def faults(dashboard):
    register_default_plugins()
    read = json.loads(JSONEncoder().encode(Dashboard.from_json(dashboard)))
    for path in lost(dashboard, read):
        yield f"{path} is nothing that Grafana knows"
    panels = dashboard["panels"]
    if len({panel["id"] for panel in panels}) != len(panels):
        yield "two panels have the same id"
    for one, other in itertools.combinations(panels, 2):
        if overlap(one["gridPos"], other["gridPos"]):
            yield f"{one['title']} overlaps {other['title']}"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        found = list(faults(json.load(file)))
    print("\n".join(found))
    sys.exit(bool(found))
