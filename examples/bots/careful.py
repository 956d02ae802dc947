"""The careful maker in Python: standard library only, by requests alone. README.md says what it does about which trouble.

Truth     the venue's lists. Nothing is believed that it does not say twice
Orders    have our own id before they are sent, and are sent again under the same one: each can exist but once
Position  is what our fills make it. Where the venue says something else for long enough, the venue is right
"""
import base64
import hashlib
import hmac
import http.client
import json
import os
import time
import urllib.parse

URL = urllib.parse.urlsplit(os.environ["BITGET_API_BASE_URL"])
KEY, SECRET = os.environ["BITGET_API_KEY"], os.environ["BITGET_API_SECRET"].encode()
PASSPHRASE = os.environ["BITGET_API_PASSPHRASE"]
SYMBOL = os.environ.get("BOT_SYMBOLS", "BTCUSDT").split(",")[0]
SCALE = float(os.environ.get("TIDEMARK_GRADE_SCALE", "1"))
CATEGORY = "USDT-FUTURES"

TARGET, UNIT, MAX_POSITION = 0.02, 0.01, 0.05
SPREAD, REACH, HOLD = 0.003, 0.002, 0.45
TIMEOUT = max(1.0, 10 * SCALE)
SETTLE = max(0.7, 4 * SCALE)
PAUSE_MAX = max(1.0, 10 * SCALE)
UNKNOWN_CODES = {"40010", "40725", "45001"}
CLOCK_CODES = {"40008", "40005"}
LATER_CODES = {"429", "40006", "40009", "40012", "40014", "40018", "40037", "40015", "40200"}
DUPLICATE_CODES = {"40786", "25212"}


class Unfinished(Exception):
    """This round cannot be finished; the next one begins from what the venue says."""


class Exchange:
    """Answers (kind, value): ok and its data, refused and its code, unknown and why."""

    def __init__(self):
        self.ahead = 0.0
        self.pause = 0.0
        self.not_before = 0.0
        self.connection = None

    def call(self, method, path, query=None, body=None):
        time.sleep(max(0.0, self.not_before - time.monotonic()))
        target = path + ("?" + urllib.parse.urlencode(query) if query else "")
        text = "" if body is None else json.dumps(body)
        answer = self.send(method, target, text)
        if answer[0] == "refused" and answer[1] in CLOCK_CODES:
            self.ask_time()
            answer = self.send(method, target, text)
        if answer[0] == "unknown" or (answer[0] == "refused" and answer[1] in LATER_CODES):
            self.pause = min(PAUSE_MAX, max(0.1, self.pause * 2))
            self.not_before = time.monotonic() + self.pause
        else:
            self.pause = 0.0
        return answer

    def send(self, method, target, text):
        timestamp = str(int(time.time() * 1000 + self.ahead))
        digest = hmac.new(SECRET, (timestamp + method + target + text).encode(), hashlib.sha256).digest()
        headers = {
            "ACCESS-KEY": KEY,
            "ACCESS-SIGN": base64.b64encode(digest).decode(),
            "ACCESS-TIMESTAMP": timestamp,
            "ACCESS-PASSPHRASE": PASSPHRASE,
            "Content-Type": "application/json",
        }
        # A body that dribbles keeps each read short: the whole has a time-out, too.
        until = time.monotonic() + TIMEOUT
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection(URL.hostname, URL.port, timeout=TIMEOUT)
            self.connection.request(method, target, text or None, headers)
            response = self.connection.getresponse()
            parts = []
            while part := response.read1(65536):
                parts.append(part)
                if time.monotonic() > until:
                    raise TimeoutError("the answer is too slow")
            # All of it is read, which read1 does not notice: without this the connection takes no further request.
            response.close()
            if response.status >= 500:
                return "unknown", f"status {response.status}"
            answer = json.loads(b"".join(parts))
            code = str(answer["code"])
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
            if self.connection is not None:
                self.connection.close()
            self.connection = None
            return "unknown", repr(error)
        if code == "00000":
            return "ok", answer["data"]
        return ("unknown", code) if code in UNKNOWN_CODES else ("refused", code)

    def ask_time(self):
        asked = time.time()
        kind, data = self.send("GET", "/api/v2/public/time", "")
        if kind == "ok":
            self.ahead = int(data["serverTime"]) - (asked + time.time()) * 500


class Maker:
    def __init__(self):
        self.exchange = Exchange()
        self.position = None
        self.steps = None
        self.ids = 0

    def run(self):
        while True:
            try:
                self.round()
            except Unfinished as reason:
                print(f"round: {reason}", flush=True)
                time.sleep(max(0.2, SCALE))

    def round(self):
        if self.steps is None:
            self.learn_steps()
        if UNIT < self.steps["min"]:
            self.steps = None
            raise Unfinished("the smallest order is larger than ours")
        self.clear_orders()
        self.agree_on_position()
        off = TARGET - self.position
        if abs(off) >= self.steps["min"]:
            self.trade("buy" if off > 0 else "sell", min(abs(off), 2 * UNIT), off < 0 < self.position)
        self.quote()
        self.trade("buy", UNIT, False)
        time.sleep(HOLD)
        self.trade("sell", UNIT, True)

    def quote(self):
        mid = self.price()
        orders = [
            self.order("buy", UNIT, mid * (1 - SPREAD), "gtc", False),
            self.order("sell", UNIT, mid * (1 + SPREAD), "gtc", False),
        ]
        self.place(orders)
        time.sleep(HOLD)
        for order in orders:
            self.cancel({"clientOid": order["clientOid"]})
        for order in orders:
            self.settle(order)

    def trade(self, side, size, reduce_only):
        if side == "buy" and self.position + size > MAX_POSITION:
            raise Unfinished("that would be more than we may have")
        price = self.price() * (1 + REACH if side == "buy" else 1 - REACH)
        order = self.order(side, size, price, "ioc", reduce_only)
        try:
            self.place([order])
        finally:
            self.settle(order)

    def order(self, side, size, price, time_in_force, reduce_only):
        self.ids += 1
        order = {
            "category": CATEGORY,
            "symbol": SYMBOL,
            "side": side,
            "orderType": "limit",
            "timeInForce": time_in_force,
            "price": stepped(price, self.steps["price"]),
            "qty": stepped(size, self.steps["size"]),
            "clientOid": f"p{int(time.time() * 1000):x}{os.getpid():x}{self.ids:x}",
        }
        return {**order, "reduceOnly": "yes"} if reduce_only else order

    def place(self, orders):
        """Until the venue has said of each that it is there; the same id each time."""
        left = orders
        for _ in range(4):
            if len(left) == 1:
                answer = self.exchange.call("POST", "/api/v3/trade/place-order", body=left[0])
            else:
                answer = self.exchange.call("POST", "/api/v3/trade/place-batch", body=left)
            outcomes = [outcome_of(answer, index) for index in range(len(left))]
            if "refused" in outcomes:
                self.steps = None
                raise Unfinished(f"an order is refused: {answer[1]}")
            left = [order for order, outcome in zip(left, outcomes) if outcome == "unknown"]
            if not left:
                return
        raise Unfinished("nobody says what became of an order")

    def cancel(self, named):
        """Refused: it has ended, or it is not there yet. Who asks afterwards finds out."""
        for _ in range(4):
            if self.exchange.call("POST", "/api/v3/trade/cancel-order", body={"category": CATEGORY, "symbol": SYMBOL, **named})[0] != "unknown":
                return

    def settle(self, order):
        until = time.monotonic() + SETTLE
        while time.monotonic() < until:
            kind, data = self.exchange.call("GET", "/api/v3/trade/order-info", {"clientOid": order["clientOid"]})
            if kind == "ok" and data["orderStatus"] in ("filled", "cancelled", "canceled"):
                filled = float(data["cumExecQty"])
                self.position += filled if order["side"] == "buy" else -filled
                return
            time.sleep(0.06)
        raise Unfinished("the end of an order is not known")

    def clear_orders(self):
        for _ in range(5):
            rows = self.open_orders()
            if not rows:
                return
            for order_id in rows:
                self.cancel({"orderId": order_id})
            time.sleep(0.1)
        raise Unfinished("orders stay open")

    def open_orders(self):
        """All pages, each row once: rows may shift from one page to the next. Small pages, so that there are some."""
        found, cursor = {}, None
        while True:
            query = {"category": CATEGORY, "symbol": SYMBOL, "limit": "1", **({"cursor": cursor} if cursor else {})}
            page = self.read("/api/v3/trade/unfilled-orders", query)
            rows = page["list"] or []
            found.update((row["orderId"], row) for row in rows)
            cursor = page["cursor"] if rows else None
            if not cursor:
                return found

    def agree_on_position(self):
        said, since = None, 0.0
        while True:
            rows = self.read("/api/v3/position/current-position", {"category": CATEGORY, "symbol": SYMBOL})["list"] or []
            held = sum((-1 if row["posSide"] == "short" else 1) * float(row["total"]) for row in rows)
            if self.position is not None and abs(held - self.position) < self.steps["size"] / 2:
                return
            if held != said:
                said, since = held, time.monotonic()
            if self.position is None or time.monotonic() - since >= SETTLE:
                self.position = held
                return
            time.sleep(0.1)

    def price(self):
        ticker = self.read("/api/v3/market/tickers", {"category": CATEGORY, "symbol": SYMBOL})[0]
        bid, ask = float(ticker["bid1Price"] or 0), float(ticker["ask1Price"] or 0)
        price = (bid + ask) / 2 if bid and ask else float(ticker["markPrice"] or 0)
        if not price:
            raise Unfinished("there is no price")
        return price

    def learn_steps(self):
        found = self.read("/api/v3/market/instruments", {"category": CATEGORY, "symbol": SYMBOL})[0]
        if found["status"] != "online":
            raise Unfinished("the instrument is closed")
        names = {"price": "priceMultiplier", "size": "quantityMultiplier", "min": "minOrderQty"}
        self.steps = {name: float(found[field]) for name, field in names.items()}

    def read(self, path, query):
        kind, data = self.exchange.call("GET", path, query)
        if kind != "ok":
            raise Unfinished(f"{path}: {data}")
        return data


def outcome_of(answer, index):
    kind, data = answer
    if kind == "unknown":
        return "unknown"
    code = data if kind == "refused" else "00000"
    if kind == "ok" and isinstance(data, list):
        code = str((data[index] if index < len(data) else {}).get("code", "00000"))
    if code in ("00000", "0") or code in DUPLICATE_CODES:
        return "there"
    return "unknown" if code in ("429", "40015", "40200") else "refused"


def stepped(value, step):
    decimals = max(0, len(f"{step:.10f}".rstrip("0").split(".")[1]))
    return f"{round(value / step) * step:.{decimals}f}"


if __name__ == "__main__":
    Maker().run()
