"""The balancers of deploy/, run from the files there: only names, ports and places of logs are those of this machine."""

import re
from pathlib import Path

from .parts import Part

DEPLOY = Path(__file__).resolve().parent.parent.parent / "deploy"


class Balancer(Part):
    def __init__(self, directory, replicas):
        super().__init__(directory)
        self.replicas = replicas

    def write(self, text):
        """Writes the configuration, after checking that nothing in it still refers to the machines of compose."""
        left = re.search(r"^[^#\n]*(?:lastro-\d|:?8080).*$", text, re.MULTILINE)
        if left:
            raise ValueError(f"{self.name}: no place on this machine for: {left[0].strip()}")
        path = self.directory / f"{self.name}.conf"
        path.write_text(text)
        return str(path)


class HaProxy(Balancer):
    name = "haproxy"

    def command(self):
        text = (DEPLOY / "haproxy/haproxy.cfg").read_text()
        text = text.replace("bind :8080", f"bind 127.0.0.1:{self.port}")
        for number, replica in enumerate(self.replicas, start=1):
            # The port of the checks is that of every machine in the file, and of each replica here.
            text = text.replace(f"server lastro-{number} lastro-{number}:8080 track", f"server r{number} 127.0.0.1:{replica.port} track")
            text = text.replace(f"track replicas/lastro-{number}", f"track replicas/r{number}")
            text = text.replace(f"server lastro-{number} lastro-{number}:8080", f"server r{number} 127.0.0.1:{replica.port} port {replica.admin_port}")
        text = without_servers_beyond(text, len(self.replicas))
        return ["haproxy", "-db", "-f", self.write(text)]


class Nginx(Balancer):
    name = "nginx"

    def command(self):
        text = (DEPLOY / "nginx/nginx.conf").read_text()
        text = text.replace("listen 8080", f"listen 127.0.0.1:{self.port}")
        for number, replica in enumerate(self.replicas, start=1):
            text = text.replace(f"lastro-{number}:8080", f"127.0.0.1:{replica.port}")
        text = without_servers_beyond(text, len(self.replicas))
        own = f"daemon off; pid {self.directory}/nginx.pid; error_log stderr;"
        return ["nginx", "-p", str(self.directory), "-c", self.write(text), "-g", own]

    def kill(self):
        """Its workers would outlive a SIGKILL of the first process."""
        self.end()


def without_servers_beyond(text, count):
    """Smaller fleets use the first servers of the file."""
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not any(f"server lastro-{n}" in line for n in range(count + 1, 4)))
