"""Places one order and follows it to its end, in Python with its standard library alone (3.9 or later).

    VENUE=http://127.0.0.1:8080 API_KEY=... API_SECRET=... API_PASSPHRASE=... python3 plain.py

No answer    the order is sent again under its client order id: it can exist but once
No socket    a new one is opened, and what was missed is asked for by the client order id
WebSocket    as much of RFC 6455 as it takes: text frames, masked as a client has to, and pings
"""

import base64
import hashlib
import hmac
import http.client
import json
import os
import socket
import ssl
import struct
import sys
import time
import urllib.parse
import uuid

VENUE = urllib.parse.urlsplit(os.environ.get("VENUE", "http://127.0.0.1:8080"))
KEY, SECRET, PASSPHRASE = (os.environ.get(name, "") for name in ("API_KEY", "API_SECRET", "API_PASSPHRASE"))
ORDER = {
    "category": "USDT-FUTURES",
    "symbol": "BTCUSDT",
    "side": "buy",
    "orderType": "limit",
    "timeInForce": "gtc",
    "qty": "0.01",
    "price": "59000",
    "clientOid": uuid.uuid4().hex,
}
DUPLICATE = ("40786", "25212")  # the second is what v3Dialect `live` says
LOST = (OSError, http.client.HTTPException)


class Refused(Exception):
    def __init__(self, code, msg):
        super().__init__(code + " " + msg)
        self.code = code


def sign(text):
    return base64.b64encode(hmac.new(SECRET.encode(), text.encode(), hashlib.sha256).digest()).decode()


def call(method, target, body=None):
    """One signed request; Refused with the venue's code, or one of LOST if there is no answer."""
    text = "" if body is None else json.dumps(body)
    timestamp = str(int(time.time() * 1000))
    secure = VENUE.scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = kind(VENUE.hostname, VENUE.port, timeout=10)
    try:
        connection.request(method, target, text or None, {
            "ACCESS-KEY": KEY,
            "ACCESS-SIGN": sign(timestamp + method + target + text),
            "ACCESS-TIMESTAMP": timestamp,
            "ACCESS-PASSPHRASE": PASSPHRASE,
            "Content-Type": "application/json",
        })
        answer = json.loads(connection.getresponse().read())
    finally:
        connection.close()
    if answer["code"] != "00000":
        raise Refused(answer["code"], answer["msg"])
    return answer["data"]


def place():
    """Places the order once, however often it has to be sent."""
    while True:
        try:
            call("POST", "/api/v3/trade/place-order", ORDER)
            return
        except Refused as refused:
            if refused.code in DUPLICATE:
                return
            raise
        except LOST:
            say("no answer: sent again")
            time.sleep(0.2)


class WebSocket:
    """A WebSocket of a client: send and receive texts; an OSError when it is over."""

    def __init__(self, path):
        port = VENUE.port or (443 if VENUE.scheme == "https" else 80)
        self.stream = socket.create_connection((VENUE.hostname, port), timeout=20)
        if VENUE.scheme == "https":
            self.stream = ssl.create_default_context().wrap_socket(self.stream, server_hostname=VENUE.hostname)
        key = base64.b64encode(os.urandom(16)).decode()
        self.stream.sendall((
            f"GET {path} HTTP/1.1\r\nHost: {VENUE.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.more()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n", 1)[0]:
            raise OSError("the socket was refused: " + head.decode())

    def more(self):
        received = self.stream.recv(65536)
        if not received:
            raise OSError("the connection is over")
        self.buffer += received

    def take(self, count):
        while len(self.buffer) < count:
            self.more()
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def send(self, text, kind=1):
        body, mask = text.encode() if isinstance(text, str) else text, os.urandom(4)
        size = len(body)
        length = bytes([128 | size]) if size < 126 else bytes([128 | 126]) + struct.pack(">H", size)
        self.stream.sendall(bytes([128 | kind]) + length + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(body)))

    def receive(self):
        """The next text; None after 20 quiet seconds."""
        text = b""
        while True:
            try:
                first, size = self.take(2)
            except socket.timeout:
                return None
            size &= 127
            if size > 125:
                size = struct.unpack(">H", self.take(2))[0] if size == 126 else struct.unpack(">Q", self.take(8))[0]
            body, kind = self.take(size), first & 15
            if kind == 8:
                raise OSError("the venue closed the socket")
            if kind == 9:
                self.send(body, 10)
            elif kind < 3:
                text += body
                if first & 128:
                    return text.decode()

    def close(self):
        self.stream.close()


def follow():
    """A socket that has logged in and follows the account's orders."""
    ws = WebSocket("/v3/ws/private")
    timestamp = str(int(time.time()))
    login = {"apiKey": KEY, "passphrase": PASSPHRASE, "timestamp": timestamp, "sign": sign(timestamp + "GET/user/verify")}
    for op, args in (("login", login), ("subscribe", {"instType": "UTA", "topic": "order"})):
        ws.send(json.dumps({"op": op, "args": [args]}))
        answer = json.loads(ws.receive() or "{}")
        if answer.get("event") != op:
            raise SystemExit(f"{op}: {answer}")
    return ws


def pushed(ws):
    """Orders as they are pushed, until the connection is lost."""
    while True:
        text = ws.receive()
        if text is None:
            ws.send("ping")
        elif text != "pong":
            yield from json.loads(text).get("data", [])


def say(text):
    print(text, flush=True)


status = ""


def told(found):
    """What the venue says about the order, by push or by answer; said once for each status. True: it has ended."""
    global status
    if found["clientOid"] == ORDER["clientOid"] and found["orderStatus"] != status:
        status = found["orderStatus"]
        say(f"{status} {found['cumExecQty']} of {found['qty']}")
    return status in ("filled", "cancelled", "canceled", "rejected")


def main():
    placed = False
    while True:
        ws = None
        try:
            ws = follow()
            if not placed:
                place()
                placed = True
            if told(call("GET", "/api/v3/trade/order-info?clientOid=" + ORDER["clientOid"])):
                return
            say("following")
            for found in pushed(ws):
                if told(found):
                    return
        except LOST:
            if ws is not None:
                say("connection lost")
            time.sleep(0.2)
        finally:
            if ws is not None:
                ws.close()


if __name__ == "__main__":
    sys.exit(main())
