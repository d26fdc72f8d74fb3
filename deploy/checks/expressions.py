"""What the dashboard and the alerts ask Prometheus. Called by scripts/deploy-check and deploy/checks/fleet.

    expressions.py rules DASHBOARD              prints them as a file of rules, for `promtool check rules`
    expressions.py tested ALERTS TESTS          fails unless each alert has a test in which it fires and one in which not
    expressions.py ask URL DASHBOARD ALERTS     fails unless a Prometheus answers each one of the dashboard with data, and
                                                knows each metric of the alerts; a metric of something that the fleet
                                                does not have, such as a certificate, need only be known by name
"""

import json
import math
import re
import sys
import time
import urllib.parse
import urllib.request

import yaml

# Grafana puts these in; the interval spans several scrapes of the Prometheus of the check.
VARIABLES = {"$instance": ".*", "$__rate_interval": "30s"}
PATIENCE_SECONDS = 30


def of_dashboard(path):
    with open(path, encoding="utf-8") as file:
        panels = json.load(file)["panels"]
    found = [(panel["title"], target["expr"]) for panel in panels for target in panel.get("targets", [])]
    if not found:
        sys.exit(f"{path} has no expressions")
    for title, expression in found:
        for variable, value in VARIABLES.items():
            expression = expression.replace(variable, value)
        if "$" in expression:
            sys.exit(f"{title}: a variable that nobody fills in: {expression}")
        yield title, expression


def alerts_of(path):
    with open(path, encoding="utf-8") as file:
        groups = yaml.safe_load(file)["groups"]
    return {rule["alert"]: rule["expr"] for group in groups for rule in group["rules"] if "alert" in rule}


def print_rules(dashboard):
    rules = [{"record": f"dashboard:panel:{number}", "expr": expression}
             for number, (_, expression) in enumerate(of_dashboard(dashboard))]
    json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, sys.stdout)


def check_tested(alerts, tests):
    with open(tests, encoding="utf-8") as file:
        cases = [case for test in yaml.safe_load(file)["tests"] for case in test["alert_rule_test"]]
    for alert in alerts_of(alerts):
        for fires in (True, False):
            if not any(case["alertname"] == alert and bool(case["exp_alerts"]) == fires for case in cases):
                sys.exit(f"no test in which {alert} {'fires' if fires else 'stays silent'}")


def has_data(url, expression):
    query = urllib.parse.urlencode({"query": expression})
    with urllib.request.urlopen(f"{url}/api/v1/query?{query}", timeout=10) as response:
        result = json.load(response)["data"]["result"]
    return any(not math.isnan(float(sample["value"][1])) for sample in result)


def metrics_of(expression):
    return re.findall(r"\b(?:lastro_\w+|lastro:\w+|process_\w+|up)\b", expression)


def is_named(url, metric):
    """Whether a replica names the metric without giving a value."""
    query = urllib.parse.urlencode({"metric": re.sub("_(bucket|sum|count)$", "", metric)})
    with urllib.request.urlopen(f"{url}/api/v1/metadata?{query}", timeout=10) as response:
        return bool(json.load(response)["data"])


def is_answered(url, expression):
    if has_data(url, expression):
        return True
    absent = [metric for metric in metrics_of(expression) if not has_data(url, f"count({metric})")]
    return bool(absent) and all(is_named(url, metric) for metric in absent)


def ask(url, dashboard, alerts):
    missing = {expression: f"dashboard, {title}: {expression}" for title, expression in of_dashboard(dashboard)}
    for alert, expression in alerts_of(alerts).items():
        for metric in metrics_of(expression):
            missing[f"count({metric})"] = f"alert {alert}: nothing is known of {metric}"
    count, end = len(missing), time.monotonic() + PATIENCE_SECONDS
    while missing and time.monotonic() < end:
        missing = {expression: text for expression, text in missing.items() if not is_answered(url, expression)}
        time.sleep(0.5 if missing else 0)
    print("\n".join(missing.values()) or f"{count} questions, each answered")
    sys.exit(bool(missing))


COMMANDS = {"rules": print_rules, "tested": check_tested, "ask": ask}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]](*sys.argv[2:])
