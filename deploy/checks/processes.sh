# Sourced by the checks beside it: processes that a check starts, and ends by their ids.

started_pids=()

started() {
    started_pids+=("$1")
}

# Ends what was noted with `started`, children first, and nothing else.
stop_all() {
    local pid
    for pid in "${started_pids[@]}"; do
        kill -TERM "$(deepest_child "$pid")" 2>/dev/null || true
    done
    for pid in "${started_pids[@]}"; do
        for _ in $(seq 100); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
        kill -KILL "$(deepest_child "$pid")" "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    started_pids=()
}

# What a chain of wrappers runs in the end.
deepest_child() {
    local pid="$1" child
    while child="$(cat "/proc/$pid/task/"*/children 2>/dev/null | awk '{ print $1; exit }')" && [[ -n $child ]]; do
        pid="$child"
    done
    echo "$pid"
}

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# wait_for URL PID: until it answers 200, while the process lives, for half a minute.
wait_for() {
    for _ in $(seq 300); do
        curl -fs -o /dev/null --max-time 2 "$1" && return
        kill -0 "$2" 2>/dev/null || return 1
        sleep 0.1
    done
    return 1
}
