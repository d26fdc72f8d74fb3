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

# free_ports FIRST COUNT: below those that the system gives to clients, so that none is taken before it is listened on.
# Checks that run at the same time have another FIRST each.
free_ports() {
    python3 - "$1" "$2" <<'PYTHON'
import socket
import sys

first, count = map(int, sys.argv[1:])
held = []
while len(held) < count:
    candidate = socket.socket()
    candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        candidate.bind(("127.0.0.1", first))
        held.append(first)
    except OSError:
        pass
    finally:
        candidate.close()
    first += 1
print(*held)
PYTHON
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
