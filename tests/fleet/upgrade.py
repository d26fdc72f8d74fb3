"""The promise about replacing replicas of an earlier version under load, one after the other."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .clients import Stream, at_once
from .fleet import Fleet
from .observed import AMPLE, BRONZE, Observed, skipped, usage
from .promises import register

REPOSITORY = Path(__file__).resolve().parent.parent.parent


def a_rolling_upgrade_fails_nobody(fleet, mixed=60):
    if not fleet.older:
        return skipped("not tested: --older names a program of an earlier version, or a commit to build it from")
    older = fleet.older
    with Fleet(fleet.directory / "upgrade", older, settings=fleet.settings) as mixture:
        key = mixture.make_key("gold", AMPLE)
        first, second, third = mixture.replicas
        with Stream(mixture.balancer.port, 100, key=key, connections=8) as stream:
            time.sleep(2)
            replace(first, fleet.binary)
            began = time.monotonic()
            admitted = sum(a.admitted for a in at_once([r.port for r in mixture.replicas], 3 * BRONZE, key=mixture.make_key("bronze")))
            # A replica of the earlier version may also be restarted on the tables of the new one.
            replace(second, older)
            registered = register(mixture).status
            time.sleep(max(0, began + mixed - time.monotonic()))
            for replica in (second, third):
                replace(replica, fleet.binary)
        answered, counted = sum(a.admitted for a in stream.answers), usage(mixture, key)
    kept = not stream.failures and admitted <= BRONZE and registered == 201 and counted == answered
    text = (
        f"from {version(older)} to {version(fleet.binary)}: {stream.failures} of {len(stream.answers)} failed; mixed for {mixed} s, {admitted} of a limit "
        f"of {BRONZE}, registration {registered}; {counted} of {answered} counted"
    )
    return Observed(text, kept)


def replace(replica, binary):
    replica.end()
    replica.binary = str(binary)
    replica.start()


def version(binary):
    return subprocess.run([binary, "--version"], check=True, capture_output=True, text=True).stdout.split()[-1]


def program(older):
    """The program that was given, or that of a commit, which is built once and kept under the target directory."""
    if Path(older).is_file():
        return Path(older).resolve()
    git = ["git", "-C", str(REPOSITORY)]
    commit = subprocess.run([*git, "rev-parse", "--verify", f"{older}^{{commit}}"], capture_output=True, text=True).stdout.strip()
    if not commit:
        sys.exit(f"--older {older}: neither a program nor a commit")
    place = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")) / "older"
    kept = place / f"lastro-{commit}"
    if not kept.exists():
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place) as source:
            archive = subprocess.run([*git, "archive", commit], check=True, capture_output=True).stdout
            subprocess.run(["tar", "-x", "-C", source], input=archive, check=True)
            build = ["cargo", "build", "--locked", "--bin", "lastro", "--target-dir", str(place / "target")]
            if subprocess.run(build, cwd=source).returncode != 0:
                sys.exit(f"--older {older}: this commit cannot be built")
        (place / "target/debug/lastro").rename(kept)
    return kept
