"""A fake central bank: one monthly series in its format, with a newest value that can be corrected."""

import datetime
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

IPCA = 433
FIRST_YEAR = 1980


class Publisher:
    def __init__(self):
        today = datetime.date.today()
        last = today.year * 12 + today.month - 2
        self.values = {datetime.date(month // 12, month % 12 + 1, 1): "0.50" for month in range(FIRST_YEAR * 12, last + 1)}
        publisher = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                body = publisher.answer(self.path)
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(body or b'{"error":"Value(s) not found"}')

            def log_message(self, *_):
                """Logs nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def correct(self, value):
        self.values[max(self.values)] = value

    def answer(self, path):
        parts = urlsplit(path)
        if f".{IPCA}/" not in parts.path:
            return None
        days = sorted(self.values)
        if "/ultimos/" in parts.path:
            days = days[-int(parts.path.rpartition("/")[2]):]
        else:
            asked = {name: datetime.datetime.strptime(values[0], "%d/%m/%Y").date() for name, values in parse_qs(parts.query).items() if name.startswith("data")}
            # A monthly series ignores the day.
            days = [day for day in days if asked["dataInicial"].replace(day=1) <= day <= asked["dataFinal"]]
        return json.dumps([{"data": day.strftime("%d/%m/%Y"), "valor": self.values[day]} for day in days]).encode() if days else None

    def close(self):
        self.server.shutdown()
        self.server.server_close()
