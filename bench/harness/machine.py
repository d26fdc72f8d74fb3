"""The machine: paths, installed programs, and the core of each process."""

import contextlib
import hashlib
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BENCH = ROOT / "bench"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
# Peers are installed here, never into the repository.
TOOLS = TARGET / "bench-tools"
SERVER_CORE, LOAD_CORE = 0, 1
INSTALL_PATIENCE_S = 900


class Unavailable(Exception):
    """Something named in the text could not be installed or started. The run goes on without it."""


def say(text):
    print(text, flush=True)


def build(*packages, profile="release", features=(), source=ROOT, target=TARGET):
    names = [word for package in packages for word in ("-p", package)]
    names += [word for feature in features for word in ("--features", feature)]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target)}
    subprocess.run(["cargo", "build", "--profile", profile, *names], cwd=source, env=environment, check=True)


def short_name(commit):
    """Returns the abbreviated hash of a commit of this repository."""
    return quietly(["git", "rev-parse", "--short", f"{commit}^{{commit}}"], cwd=ROOT).strip()


def clone(commit, directory):
    """Clones this repository, without uncommitted changes."""
    quietly(["git", "clone", "--quiet", ROOT, directory])
    quietly(["git", "-C", directory, "checkout", "--quiet", commit])


# The allocator of the deployed binary.
ALLOCATOR = "lastro/jemalloc"


def binary(name, profile="release"):
    return TARGET / profile / name


def two_cores():
    if not {SERVER_CORE, LOAD_CORE} <= os.sched_getaffinity(0):
        raise SystemExit("two cores are needed, numbers 0 and 1: one for the server, one for the load")


def command(name, package):
    """Returns the path of a program, and installs its Debian package if it is missing."""
    if not shutil.which(name):
        install_packages(package)
    return shutil.which(name) or fail(f"{name} is not in the package {package}")


def install_packages(*names):
    say(f"installing {' '.join(names)}")
    sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
    quietly([*sudo, "apt-get", "update", "-qq"])
    quietly([*sudo, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq", "--no-install-recommends", *names])


def virtual_environment(peer):
    """Creates a Python environment from the peer's requirements.txt, again whenever that changes."""
    requirements = BENCH / "peers" / peer / "requirements.txt"
    place = TOOLS / peer
    if not installed(place, requirements.read_bytes()):
        say(f"installing {peer}")
        quietly(["python3", "-m", "venv", place])
        quietly([place / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements])
        mark_installed(place, requirements.read_bytes())
    return place / "bin"


def node_modules(peer):
    """Creates a copy of the peer's directory with its locked packages."""
    source, place = BENCH / "peers" / peer, TOOLS / peer
    lock = (source / "package-lock.json").read_bytes()
    fresh = not installed(place, lock)
    place.mkdir(parents=True, exist_ok=True)
    for file in source.iterdir():
        shutil.copy(file, place)
    if fresh:
        say(f"installing {peer}; compiling SQLite can take some minutes")
        quietly([command("npm", "npm"), "ci", "--silent"], cwd=place)
        mark_installed(place, lock)
    return place


def installed(place, wanted):
    mark = place / "installed"
    same = mark.exists() and mark.read_text() == hashlib.sha256(wanted).hexdigest()
    if not same:
        shutil.rmtree(place, ignore_errors=True)
    return same


def mark_installed(place, wanted):
    (place / "installed").write_text(hashlib.sha256(wanted).hexdigest())


def quietly(arguments, **settings):
    """Runs a command to its end without output; shows its output if it failed."""
    arguments = [str(argument) for argument in arguments]
    settings = {"timeout": INSTALL_PATIENCE_S, "capture_output": True, "text": True, **settings}
    try:
        return subprocess.run(arguments, check=True, **settings).stdout
    except FileNotFoundError:
        fail(f"{arguments[0]} is missing")
    except subprocess.TimeoutExpired:
        fail(f"`{Path(arguments[0]).name}` took longer than {settings['timeout']} s")
    except subprocess.CalledProcessError as error:
        lines = (error.stderr or error.stdout or "").strip().splitlines()
        fail(f"`{Path(arguments[0]).name}` failed: {lines[-1] if lines else error.returncode}")


def fail(reason):
    raise Unavailable(reason)


def free_address():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return "127.0.0.1:%d" % probe.getsockname()[1]


def pinned(arguments, cores=str(SERVER_CORE), **settings):
    """Starts a process on these cores, in a process group of its own."""
    arguments = ["taskset", "-c", cores, *map(str, arguments)]
    return subprocess.Popen(arguments, start_new_session=True, stdout=subprocess.DEVNULL, **settings)


def end(process):
    """Ends a process group that `pinned` started, by force if necessary."""
    if process.poll() is not None:
        return
    for way in (signal.SIGCONT, signal.SIGTERM):
        os.killpg(process.pid, way)
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_for(url, process, patience_s=180):
    """Waits until the address responds, with any status."""
    began = time.monotonic()
    while time.monotonic() - began < patience_s:
        try:
            urllib.request.urlopen(url, timeout=10).read()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            if process.poll() is not None:
                fail("it ended right after its start")
            time.sleep(0.01)
    fail(f"it did not answer within {patience_s} s")


def wait_for_port(address, process, patience_s=60):
    """Waits until the address accepts connections."""
    host, _, port = address.partition(":")
    began = time.monotonic()
    while time.monotonic() - began < patience_s:
        try:
            socket.create_connection((host, int(port)), timeout=10).close()
            return
        except OSError:
            if process.poll() is not None:
                fail("it ended right after its start")
            time.sleep(0.01)
    fail(f"it did not open its port within {patience_s} s")


def megabytes(pid, what):
    """Reads the memory of a process: `VmRSS` is the resident memory, `VmHWM` its peak."""
    return int(re.search(rf"{what}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) / 1024


class Stopwatch:
    """Measures the processor time of a process while open: `seconds`, and the kernel's share of them."""

    def __init__(self, pid):
        self.pid = pid

    def __enter__(self):
        self.before, self.ticks_before = self.threads(), self.ticks()
        return self

    def __exit__(self, *_):
        # The scheduler counts nanoseconds by thread; the time of a thread that ended meanwhile is lost.
        self.seconds = sum(now - self.before.get(thread, 0) for thread, now in self.threads().items()) / 1e9
        user, system = (now - then for now, then in zip(self.ticks(), self.ticks_before))
        self.system_share = system / max(1, user + system)

    def threads(self):
        found = {}
        for file in Path(f"/proc/{self.pid}/task").glob("*/schedstat"):
            # A thread that ends between the listing and the reading has no file any more.
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                found[file.parent.name] = int(file.read_text().split()[0])
        return found

    def ticks(self):
        """Hundredths of a second in user code and in the kernel."""
        # The name, in brackets, may contain spaces.
        return [int(ticks) for ticks in Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[11:13]]


class Theft:
    """Measures the time that the hypervisor stole while open: `share` of the wall time, on the core with the most."""

    def __enter__(self):
        self.began, self.before = time.monotonic(), self.stolen()
        return self

    def __exit__(self, *_):
        seconds = time.monotonic() - self.began
        self.share = max(now - then for now, then in zip(self.stolen(), self.before)) / os.sysconf("SC_CLK_TCK") / seconds

    def stolen(self):
        """Stolen ticks of each core so far."""
        lines = Path("/proc/stat").read_text().splitlines()
        return [int(line.split()[8]) for line in lines if re.match(r"cpu\d", line)]


def description():
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return f"{model[1] if model else 'unknown processor'}, {os.cpu_count()} cores, Linux {os.uname().release.split('-')[0]}"
