"""A stand-in for Stripe that answers every call of a service with payments, so that generated requests reach it.

Prints its address. Nobody ever pays: there are prices and checkouts, and no subscriptions.
"""

import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MONTHLY = {"interval": "month", "interval_count": 1}
ANSWERS = [
    (r"GET /v1/prices/\w+", {"active": True, "currency": "usd", "unit_amount": 2900, "recurring": MONTHLY}),
    (r"POST /v1/checkout/sessions", {"id": "cs_1", "status": "open", "url": "https://checkout.stripe.invalid/c/cs_1"}),
    (r"POST /v1/checkout/sessions/cs_1/expire", {"id": "cs_1", "status": "expired", "url": None}),
    (r"POST /v1/billing_portal/sessions", {"url": "https://billing.stripe.invalid/p/1"}),
    (r"GET /v1/subscriptions", {"has_more": False, "data": []}),
]


class Stripe(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        line = f"{self.command} {self.path.partition('?')[0]}"
        found = next((answer for pattern, answer in ANSWERS if re.fullmatch(pattern, line)), None)
        body = json.dumps(found or {"error": {"code": "resource_missing"}}).encode()
        self.send_response(200 if found else 404)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Stripe)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
