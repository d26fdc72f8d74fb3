"""What the schemas of Kubernetes do not see: selectors that find no pod, ports that have no such name, and a container that
has more rights than it needs.

    manifests.py RENDERED

Called by scripts/deploy-check with what kustomize rendered.
"""

import sys

import yaml


def selectors(kinds):
    yield "Service", kinds["Service"]["spec"]["selector"]
    yield "PodDisruptionBudget", kinds["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"]
    yield "NetworkPolicy", kinds["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"]
    yield "Deployment", kinds["Deployment"]["spec"]["selector"]["matchLabels"]
    for constraint in kinds["Deployment"]["spec"]["template"]["spec"]["topologySpreadConstraints"]:
        yield "topologySpreadConstraints", constraint["labelSelector"]["matchLabels"]


def named_ports(kinds, container):
    for port in kinds["Service"]["spec"]["ports"]:
        yield "Service", port["targetPort"]
    for rule in kinds["NetworkPolicy"]["spec"]["ingress"]:
        for port in rule["ports"]:
            yield "NetworkPolicy", port["port"]
    for probe in ("readinessProbe", "livenessProbe", "startupProbe"):
        yield probe, container[probe]["httpGet"]["port"]


def faults(kinds):
    pod = kinds["Deployment"]["spec"]["template"]
    [container] = pod["spec"]["containers"]
    for where, selector in selectors(kinds):
        if not selector.items() <= pod["metadata"]["labels"].items():
            yield f"{where} selects {selector}, which is no label of the pods"
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    for where, name in named_ports(kinds, container):
        if name not in ports:
            yield f"{where}: no port is called {name}"
    for probe in ("readinessProbe", "livenessProbe", "startupProbe"):
        if container[probe]["httpGet"]["port"] != "operator":
            yield f"{probe} does not ask the operator's port"
    mounted, declared = ({part["name"] for part in parts} for parts in (container["volumeMounts"], pod["spec"]["volumes"]))
    if mounted != declared:
        yield f"volumes {declared} are declared, {mounted} are mounted"
    if container["envFrom"][0]["configMapRef"]["name"] != kinds["ConfigMap"]["metadata"]["name"]:
        yield "the container takes its settings from a ConfigMap that is not rendered"
    rights = container["securityContext"]
    if not rights["readOnlyRootFilesystem"] or rights["allowPrivilegeEscalation"] or rights["capabilities"]["drop"] != ["ALL"]:
        yield "the container has more rights than it needs"
    if not pod["spec"]["securityContext"]["runAsNonRoot"]:
        yield "the container may run as root"
    if kinds["Deployment"]["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] != 0:
        yield "an upgrade takes a replica away before another one answers"


def main(path):
    with open(path, encoding="utf-8") as file:
        documents = list(yaml.safe_load_all(file))
    kinds = {document["kind"]: document for document in documents}
    found = list(faults(kinds))
    outside = [kind for kind, document in kinds.items()
               if kind != "Namespace" and document["metadata"].get("namespace") != "lastro"]
    if outside:
        found.append(f"not in the namespace: {outside}")
    sys.exit("\n".join(found) or None)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
