"""Runs a command under the system call filter of a systemd unit, without systemd: what the filter forbids ends it.

    /usr/bin/python3 deploy/checks/as_the_unit.py UNIT COMMAND…

Called by scripts/deploy-check. The groups (@system-service) are those of the systemd that is installed, and so is their
meaning. Needs Debian's python3-seccomp. The other lines of the unit are judged by systemd-analyze.
"""

import os
import subprocess
import sys

import seccomp


def calls_of(group):
    """The system calls of a group, with those of the groups in it."""
    answer = subprocess.run(["systemd-analyze", "syscall-filter", group], check=True, capture_output=True, text=True)
    for line in answer.stdout.splitlines()[1:]:
        name = line.strip()
        if name.startswith("@"):
            yield from calls_of(name)
        elif name and not name.startswith("#"):
            yield name


def allowed_by(unit):
    """As systemd reads the lines: the first one allows, those with ~ take away."""
    allowed = set(calls_of("@default"))
    for line in open(unit, encoding="utf-8"):
        key, _, value = line.strip().partition("=")
        if key != "SystemCallFilter":
            continue
        for name in value.removeprefix("~").split():
            calls = set(calls_of(name)) if name.startswith("@") else {name}
            allowed = allowed - calls if value.startswith("~") else allowed | calls
    return allowed


def main(unit, command):
    # What is needed to get from here to the command, and is no call of the command itself.
    rules = seccomp.SyscallFilter(seccomp.KILL_PROCESS)
    for name in sorted(allowed_by(unit) | {"execve"}):
        try:
            rules.add_rule(seccomp.ALLOW, name)
        except (RuntimeError, ValueError):
            pass  # A call that this kind of machine, or this libseccomp, does not know.
    rules.load()
    os.execvp(command[0], command)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
