"""A customer's server that receives webhooks. It records the id of every message, and can hang."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Receiver:
    def __init__(self):
        self.ids, self.peers = [], []
        self.hangs = threading.Event()
        self.released = threading.Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                receiver.take(self.headers["webhook-id"], self.client_address[1])
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                """Logs nothing: the ids are enough."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, identifier, port):
        self.ids.append(identifier)
        self.peers.append(port)
        if self.hangs.is_set():
            self.released.wait(timeout=120)

    def close(self):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()
