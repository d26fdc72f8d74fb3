# Sourced by scripts/test: one service at a time, on free ports, with a database of its own.

service_pid=""
service_url=""

# start_service BINARY DIRECTORY [FLAG…]: returns when it answers, with its address in service_url.
start_service() {
    local binary="$1" directory="$2"
    shift 2
    stop_service
    mkdir -p "$directory"
    "$binary" --database "sqlite:$directory/lastro.db" --listen 127.0.0.1:0 --admin-listen off --sync off "$@" \
        2>"$directory/log" &
    service_pid=$!
    for _ in $(seq 300); do
        service_url="$(sed -n 's/.* answers on \(http:[^ ]*\)$/\1/p' "$directory/log")"
        [[ -n $service_url ]] && return
        kill -0 "$service_pid" 2>/dev/null || break
        sleep 0.1
    done
    echo "the service did not start:" >&2
    cat "$directory/log" >&2
    return 1
}

# Ends the service that start_service started, and no other process.
stop_service() {
    [[ -n $service_pid ]] || return 0
    kill "$service_pid" 2>/dev/null || true
    wait "$service_pid" 2>/dev/null || true
    service_pid=""
}
