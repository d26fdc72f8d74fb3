# shellcheck shell=bash
# Sourced before each block of docs/from-one-machine-to-three.md by tests/fleet/moving.py: the commands of a machine that a
# directory cannot have. MACHINE is that directory, BINARY the program.

lastro() {
    "$BINARY" "$@"
}

# Everybody is root here, and psql finds its server by the environment.
sudo() {
    shift 2
    "$@"
}

scp() {
    cp -p "${@: -2:1}" "${@: -1}"
}

redis-cli() {
    command redis-cli -p "$REDIS_PORT" "$@"
}

# Values of a setting in the unit and its additions, if it has any.
unit_lines() {
    find "$MACHINE/etc/systemd/system" -name '*.service' -o -name '*.conf' | sort | xargs sed -n "s|^$1=||p"
}

# Copies the credentials of the unit to where %d points.
load_credentials() {
    local credential file
    rm -rf "$MACHINE/credentials"
    mkdir "$MACHINE/credentials"
    unit_lines LoadCredential | while IFS= read -r credential; do
        file="${credential#*:}"
        # The unit of deploy/ knows no machine that is a directory; what the page wrote does.
        cp "$MACHINE${file#"$MACHINE"}" "$MACHINE/credentials/${credential%%:*}"
    done
}

# The settings in the order of systemd, the last of a name being in force: whatever the unit and its additions set, then the
# files that they name, one after the other.
unit_environment() {
    local file
    unit_lines Environment | sed -e "s|%d|$MACHINE/credentials|"
    unit_lines EnvironmentFile | while IFS= read -r file; do
        file="${file#-}"
        cat "$MACHINE${file#"$MACHINE"}"
    done
}

# The user of the unit, whom only root can become. systemd gives it the state directory with all that is in it, but only if
# the directory itself belongs to somebody else.
become_unit_user() {
    [[ $EUID -eq 0 ]] || return 0
    chown -R 65532:65532 "$MACHINE/credentials"
    [[ $(stat -c %u "$MACHINE/var/lib/lastro") -eq 65532 ]] || chown -R 65532:65532 "$MACHINE/var/lib/lastro"
    as_unit_user=(setpriv --reuid=65532 --regid=65532 --clear-groups)
}

start_unit() {
    local settings command as_unit_user=()
    case "$1" in
    lastro)
        load_credentials
        become_unit_user
        mapfile -t settings < <(unit_environment)
        command=("${as_unit_user[@]}" env "${settings[@]}" "$BINARY" serve)
        ;;
    haproxy) command=(haproxy -db -f "$MACHINE/etc/haproxy/haproxy.cfg") ;;
    esac
    (cd "$MACHINE/var/lib/lastro" && exec setsid "${command[@]}" >>"$MACHINE/$1.log" 2>&1 </dev/null) &
    echo "$!" >"$MACHINE/pid.$1"
    disown
}

stop_unit() {
    local process
    [[ -e $MACHINE/pid.$1 ]] || return 0
    process="$(<"$MACHINE/pid.$1")"
    rm "$MACHINE/pid.$1"
    kill -TERM "$process" 2>/dev/null || return 0
    for _ in $(seq 300); do
        kill -0 "$process" 2>/dev/null || return 0
        sleep 0.1
    done
    return 1
}

systemctl() {
    case "$*" in
    daemon-reload) ;;
    "enable --now lastro" | "start lastro") start_unit lastro ;;
    "stop lastro" | "disable --now lastro") stop_unit lastro ;;
    "restart haproxy") stop_unit haproxy && start_unit haproxy ;;
    *)
        echo "no stand-in for: systemctl $*" >&2
        return 1
        ;;
    esac
}
