"""What the schema of compose does not see: names that nobody declared, files that are not there, and proxies or a Prometheus
that ask for replicas which are not among the services.

    compose.py COMPOSE_FILE FILE…

Called by scripts/deploy-check. FILEs are those that name replicas by their services, as lastro-1:8080.
"""

import re
import sys
from pathlib import Path

import yaml


def names(part):
    return list(part) if part else []


def undeclared(compose):
    """(service, kind, name) of every name that a service uses and the file does not declare."""
    for service, about in compose["services"].items():
        used = {
            "networks": names(about.get("networks")),
            "secrets": names(about.get("secrets")),
            "services": names(about.get("depends_on")),
            "volumes": [source for source in mounted(about) if not source.startswith((".", "/"))],
        }
        for kind, wanted in used.items():
            for name in wanted:
                if name not in (compose.get(kind) or {}):
                    yield service, kind, name


def mounted(about):
    return [volume.split(":")[0] for volume in about.get("volumes", [])]


def missing_files(compose, directory):
    for service, about in compose["services"].items():
        files = [source for source in mounted(about) if source.startswith(".")]
        if "build" in about:
            context = about["build"]["context"]
            files.append(f"{context}/{about['build']['dockerfile']}")
        for file in files:
            if not (directory / file).exists():
                yield service, file


def waits_for_a_health_check(compose):
    """A service that is waited for until it is healthy must say how it is asked; the image of Lastro says so itself."""
    for service, about in compose["services"].items():
        for name, how in (about.get("depends_on") or {}).items():
            other = compose["services"].get(name, {})
            if how["condition"] == "service_healthy" and "healthcheck" not in other and "build" not in other:
                yield service, name


def main(path, *others):
    compose = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    faults = [f"{service}: {name} is not among the {kind}" for service, kind, name in undeclared(compose)]
    faults += [f"{service}: there is no {file}" for service, file in missing_files(compose, Path(path).parent)]
    faults += [f"{service} waits for the health of {name}, which has no check"
               for service, name in waits_for_a_health_check(compose)]
    for other in others:
        replicas = set(re.findall(r"\b(lastro-\w+):\d+", Path(other).read_text(encoding="utf-8")))
        if not replicas or not replicas <= set(compose["services"]):
            faults.append(f"{other} names {sorted(replicas)}, not services of {path}")
    sys.exit("\n".join(faults) or None)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
