"""The parts of a fleet as processes: each is started, ended or killed by its process id, and leaves nothing behind."""

import contextlib
import glob
import json
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
        lines = (self.directory / f"{self.name}.log").read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "without a word"

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


class Postgres(Part):
    name = "postgres"

    def __init__(self, directory, settings=()):
        super().__init__(directory)
        self.cluster = self.directory / "postgres"
        self.settings = {"fsync": "off", "full_page_writes": "off", "max_connections": "100", **dict(settings)}
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        self.programs = Path(found[-1]) if found else None

    def prepare(self):
        """Creates the cluster, with one database."""
        self.cluster.mkdir()
        if os.geteuid() == 0:
            shutil.chown(self.cluster, "postgres")
        make = [self.programs / "initdb", "-D", self.cluster / "data", "-U", NAME, "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C"]
        subprocess.run([*unprivileged("postgres"), *make], check=True, capture_output=True)
        self.start()
        self.psql(f"CREATE DATABASE {NAME}", database="postgres")
        return self

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

    def psql(self, sql, database=NAME):
        command = ["psql", "-XAtq", "-h", "127.0.0.1", "-p", str(self.port), "-U", NAME, "-d", database, "-c", sql]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def url(self, port=None):
        return f"postgres://{NAME}@127.0.0.1:{port or self.port}/{NAME}"


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
    name = "redis"

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
    def __init__(self, directory, name, binary, arguments):
        super().__init__(directory)
        self.name, self.binary, self.arguments = name, str(binary), list(arguments)
        self.admin_port = free_port()

    def command(self):
        listen = ["--listen", f"127.0.0.1:{self.port}", "--admin-listen", f"127.0.0.1:{self.admin_port}"]
        return [self.binary, "serve", *listen, "--replica-name", self.name, *self.arguments]

    def environment(self):
        return {**os.environ, "RUST_LOG": os.environ.get("RUST_LOG", "info"), "NO_COLOR": "1"}

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


class HaProxy(Part):
    """HAProxy, configured like deploy/haproxy/haproxy.cfg, with the ports of this fleet."""

    name = "haproxy"

    def __init__(self, directory, replicas):
        super().__init__(directory)
        self.replicas = replicas

    def command(self):
        servers = "".join(
            f"  server {r.name} 127.0.0.1:{r.port} check port {r.admin_port} inter 500ms fall 2 rise 1\n" for r in self.replicas
        )
        configuration = self.directory / "haproxy.cfg"
        configuration.write_text(
            "defaults\n  mode http\n  timeout connect 2s\n  timeout client 60s\n  timeout server 60s\n"
            f"frontend clients\n  bind 127.0.0.1:{self.port}\n  default_backend replicas\n"
            "backend replicas\n  balance roundrobin\n  option httpchk GET /readyz\n  option redispatch 1\n  retries 2\n"
            "  retry-on conn-failure empty-response\n  http-request disable-l7-retry unless { method GET HEAD }\n"
            f"  http-request set-header X-Forwarded-For %[src]\n{servers}"
        )
        return ["haproxy", "-db", "-f", str(configuration)]


class Fleet:
    """The whole fleet, as a context manager that always ends every process it started."""

    def __init__(self, directory, binary, replicas=3, settings=()):
        self.directory, self.binary = Path(directory), Path(binary)
        self.directory.chmod(0o755)
        self.postgres, self.redis = Postgres(directory), Redis(directory)
        self.bouncer = PgBouncer(directory, self.postgres)
        self.pepper = self.directory / "pepper"
        common = [*self.database(), "--redis", self.redis.url(), "--sync", "off", "--trusted-proxies", "127.0.0.1/32"]
        self.replicas = [Replica(directory, f"r{n}", binary, [*common, *settings]) for n in range(1, replicas + 1)]
        self.balancer = HaProxy(directory, self.replicas)

    def database(self):
        return ["--database", self.postgres.url(self.bouncer.port), "--pepper-file", str(self.pepper)]

    def __enter__(self):
        try:
            self.postgres.prepare()
            self.bouncer.start()
            self.redis.start()
            self.write_pepper()
            self.start_replicas_at_once()
            self.balancer.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def write_pepper(self):
        self.pepper.write_text(os.urandom(32).hex())
        self.pepper.chmod(0o600)

    def start_replicas_at_once(self):
        """Starts all replicas at once on an empty database: all migrate it and check for the sample together."""
        for replica in self.replicas:
            with open(self.directory / f"{replica.name}.log", "ab") as log:
                replica.process = subprocess.Popen(replica.command(), stdout=log, stderr=log, start_new_session=True, env=replica.environment())
        for replica in self.replicas:
            wait_until(replica.is_up, replica.name)

    def __exit__(self, *_):
        for part in [self.balancer, *self.replicas, self.bouncer, self.redis]:
            part.kill()
        self.postgres.stop_at_once()

    def lastro(self, *arguments):
        """Runs a command of the operator."""
        command = [str(self.binary), *arguments, *self.database()]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout.strip()

    def make_key(self, plan, rate_limit=None):
        limit = ["--rate-limit", str(rate_limit)] if rate_limit else []
        return self.lastro("keys", "create", "--plan", plan, "--name", "Fleet", "--email", "fleet@example.com", *limit)

    def url(self, path):
        return f"http://127.0.0.1:{self.balancer.port}{path}"

    def live_as_each_sees_it(self):
        return [int(replica.metric("lastro_replicas").get("", 0)) for replica in self.replicas]

    def editions(self, replica):
        return json.dumps(replica.metric("lastro_edition"), sort_keys=True)
