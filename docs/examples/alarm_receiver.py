"""Receives alarms: checks the signature, takes each message once, and prints it (docs/alarms.md)."""

import base64, hmac, json, time
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

SECRET = base64.b64decode(Path("desk.secret").read_text().split()[0].removeprefix("whsec_"))
SEEN = set()  # keep it in a database: a key comes again for a day, or when somebody retries a dead letter


def is_genuine(headers, body, now_s):
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    right = "v1," + base64.b64encode(hmac.digest(SECRET, signed, sha256)).decode()
    fresh = abs(now_s - int(headers["webhook-timestamp"])) <= 300
    return fresh and any(hmac.compare_digest(right, each) for each in headers["webhook-signature"].split())


class Alarms(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not is_genuine(self.headers, body, time.time()):
            self.send_error(401)
            return
        message = json.loads(body)
        if message["key"] not in SEEN:
            print(message["what"], message["alarm"]["table"], message["alarm"]["says"])
            SEEN.add(message["key"])  # only now: what was not finished must come again
        self.send_response(204)
        self.end_headers()


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", 8700), Alarms).serve_forever()
