"""The parts of a fleet as processes: each is started, ended or killed by its process id, and leaves nothing behind."""

import contextlib
import glob
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

NAME = "lastro"


class Unavailable(Exception):
    """A part could not be started; the text has its name and its output."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(is_so, what, seconds=30):
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        if is_so():
            return time.monotonic() - began
        time.sleep(0.02)
    raise Unavailable(f"{what}: not within {seconds} s")


def answers(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False


def unprivileged(user):
    """Prefix of a command that runs as another user, because some programs refuse to run as root."""
    return ["setpriv", f"--reuid={user}", f"--regid={'nogroup' if user == 'nobody' else user}", "--clear-groups"] if os.geteuid() == 0 else []


class Part:
    """A process that listens on a port."""

    def __init__(self, directory):
        self.directory = Path(directory)
        self.port = free_port()
        self.process = None

    def command(self):
        raise NotImplementedError

    def start(self, seconds=30):
        with open(self.directory / f"{self.name}.log", "ab") as log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=log, start_new_session=True, env=self.environment())
        wait_until(self.is_up, self.name, seconds)
        return self

    def environment(self):
        return None

    def is_up(self):
        if self.process.poll() is not None:
            raise Unavailable(f"{self.name} ended at once: {self.last_words()}")
        return answers(self.port)

    def last_words(self):
        lines = self.log().strip().splitlines()
        return lines[-1] if lines else "without a word"

    def log(self):
        return (self.directory / f"{self.name}.log").read_text(errors="replace")

    def end(self, way=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(way)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=30)
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def kill(self):
        self.end(signal.SIGKILL)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.kill()

    @contextlib.contextmanager
    def frozen(self):
        """Stops the process without ending it: its sockets stay open and nobody answers."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)


class Postgres(Part):
    def __init__(self, directory, settings=(), name="postgres", user=NAME):
        super().__init__(directory)
        self.name, self.user = name, user
        self.cluster = self.directory / name
        self.settings = {"fsync": "off", "full_page_writes": "off", "max_connections": "100", **dict(settings)}
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        self.programs = Path(found[-1]) if found else None

    def make_cluster_directory(self):
        self.cluster.mkdir()
        if os.geteuid() == 0:
            shutil.chown(self.cluster, "postgres")

    def make_cluster(self):
        """Creates the cluster and starts it."""
        self.make_cluster_directory()
        make = [self.programs / "initdb", "-D", self.cluster / "data", "-U", self.user, "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C"]
        subprocess.run([*unprivileged("postgres"), *make], check=True, capture_output=True)
        return self.start()

    def prepare(self):
        """Creates the cluster, with one database."""
        self.make_cluster()
        self.psql(f"CREATE DATABASE {NAME}", database="postgres")
        return self

    def follow(self, primary):
        """Creates the cluster as a standby that streams from the primary."""
        self.make_cluster_directory()
        source = ["-h", "127.0.0.1", "-p", str(primary.port), "-U", NAME]
        copy = [self.programs / "pg_basebackup", *source, "-D", self.cluster / "data", "-R", "-X", "stream", "-c", "fast", "--no-sync"]
        subprocess.run([*unprivileged("postgres"), *copy], check=True, capture_output=True)
        return self.start()

    def promote(self):
        self.psql("SELECT pg_promote()", database="postgres")

    def command(self):
        settings = {**self.settings, "listen_addresses": "127.0.0.1", "port": self.port, "unix_socket_directories": self.cluster}
        pairs = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        return [*unprivileged("postgres"), str(self.programs / "postgres"), "-D", str(self.cluster / "data"), *map(str, pairs)]

    def is_up(self):
        ready = [self.programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return super().is_up() and subprocess.run(ready).returncode == 0

    def stop_at_once(self):
        """Stops like a power failure: without finishing work or notifying clients."""
        self.end(signal.SIGQUIT)

    def kill(self):
        """Its own processes would outlive a SIGKILL of the first one."""
        self.stop_at_once()

    def psql(self, sql, database=NAME):
        command = [self.programs / "psql", "-XAtq", "-h", "127.0.0.1", "-p", str(self.port), "-U", self.user, "-d", database, "-c", sql]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def url(self, port=None, database=NAME):
        return f"postgres://{NAME}@127.0.0.1:{port or self.port}/{database}"


class PgBouncer(Part):
    name = "pgbouncer"

    def __init__(self, directory, postgres):
        super().__init__(directory)
        self.postgres = postgres
        self.configuration = self.directory / "pgbouncer.ini"

    def command(self):
        self.configuration.write_text(
            f"[databases]\n{NAME} = host=127.0.0.1 port={self.postgres.port} dbname={NAME} user={NAME}\n"
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {self.port}\nunix_socket_dir =\nauth_type = any\n"
            "pool_mode = transaction\ndefault_pool_size = 24\nmax_client_conn = 500\nserver_login_retry = 1\n"
        )
        self.configuration.chmod(0o644)
        return [*unprivileged("nobody"), "pgbouncer", str(self.configuration)]


class Redis(Part):
    def __init__(self, directory, name="redis"):
        super().__init__(directory)
        self.name = name

    def command(self):
        return ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(self.directory)]

    def ask(self, *words):
        command = ["redis-cli", "-p", str(self.port), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def cpu_seconds(self):
        lines = dict(line.split(":", 1) for line in self.ask("INFO", "cpu").splitlines() if ":" in line)
        return float(lines["used_cpu_user"]) + float(lines["used_cpu_sys"])

    def url(self):
        return f"redis://127.0.0.1:{self.port}"


class Replica(Part):
    def __init__(self, directory, name, binary, arguments, wrapper=(), variables=()):
        super().__init__(directory)
        self.name, self.binary, self.arguments = name, str(binary), list(arguments)
        # A command that ends by running the program in its own place, and additional environment variables.
        self.wrapper, self.variables = list(wrapper), dict(variables)
        self.admin_port = free_port()

    def command(self):
        listen = ["--listen", f"127.0.0.1:{self.port}", "--admin-listen", f"127.0.0.1:{self.admin_port}"]
        return [*self.wrapper, self.binary, "serve", *listen, "--replica-name", self.name, *self.arguments]

    def environment(self):
        return {**os.environ, "RUST_LOG": os.environ.get("RUST_LOG", "info"), "NO_COLOR": "1", **self.variables}

    def is_up(self):
        if self.process.poll() is not None:
            raise Unavailable(f"{self.name} ended at once: {self.last_words()}")
        with contextlib.suppress(OSError, urllib.error.HTTPError):
            return urllib.request.urlopen(f"http://127.0.0.1:{self.admin_port}/readyz", timeout=2).status == 200
        return False

    def metric(self, name):
        """The values of a metric, by the text of its labels."""
        text = urllib.request.urlopen(f"http://127.0.0.1:{self.admin_port}/metrics", timeout=5).read().decode()
        lines = [line for line in text.splitlines() if line.startswith((f"{name} ", f"{name}{{"))]
        return {line.rpartition(" ")[0][len(name):]: float(line.rpartition(" ")[2]) for line in lines}
