"""The same as maker.mjs: rests on both sides, decides once a second. Python 3.9 or later, standard library only."""

import base64
import hashlib
import hmac
import json
import os
import urllib.error
import urllib.request

URL = os.environ.get("BACKTEST_URL", "http://127.0.0.1:8080")
CATEGORY, SYMBOL = "USDT-FUTURES", os.environ.get("BACKTEST_SYMBOL", "BTCUSDT")
SIZE, MOST = 0.01, 0.05
now = 0


def exchange(method, target, body, headers):
    sent = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + target, sent, {"Content-Type": "application/json", **headers}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=600) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refused:
        return json.load(refused)
    except urllib.error.URLError:
        raise SystemExit(f"nobody answers at {URL}: start tidemark dev --market FILE --lockstep, or say where it is by BACKTEST_URL")


def lab(method, path, body=None):
    answer = exchange(method, "/_lab" + path, body, {})
    if not answer["ok"]:
        raise SystemExit(answer["error"]["message"])
    return answer["data"]


def ask(method, path, body=None):
    """Signed with the venue's time, which the last answer to idle told."""
    text = str(now) + method + path + ("" if body is None else json.dumps(body))
    sign = base64.b64encode(hmac.new(b"tidemark", text.encode(), hashlib.sha256).digest()).decode()
    headers = {"ACCESS-KEY": "dev-unified-main", "ACCESS-PASSPHRASE": "tidemark"}
    return exchange(method, path, body, {**headers, "ACCESS-SIGN": sign, "ACCESS-TIMESTAMP": str(now)})


def rest(side, price):
    order = {"category": CATEGORY, "symbol": SYMBOL, "side": side, "price": price, "qty": str(SIZE)}
    ask("POST", "/api/v3/trade/place-order", {**order, "orderType": "limit", "timeInForce": "post_only"})


def decide():
    named = "category=%s&symbol=%s" % (CATEGORY, SYMBOL)
    book = ask("GET", "/api/v3/market/orderbook?%s&limit=1" % named)["data"]
    rows = (ask("GET", "/api/v3/position/current-position?" + named)["data"] or {}).get("list") or []
    held = sum(-float(row["total"]) if row["posSide"] == "short" else float(row["total"]) for row in rows)
    ask("POST", "/api/v3/trade/cancel-symbol-order", {"category": CATEGORY, "symbol": SYMBOL})
    if held < MOST and book["b"]:
        rest("buy", book["b"][0][0])
    if held > -MOST and book["a"]:
        rest("sell", book["a"][0][0])


now = lab("POST", "/clients", {"name": "maker"})["now"]
reason = "until"
while reason != "end":
    decide()
    woken = lab("POST", "/idle", {"until": "1s"})
    now, reason = woken["now"], woken["reason"]
ask("POST", "/api/v3/trade/cancel-symbol-order", {"category": CATEGORY, "symbol": SYMBOL})
for account in lab("GET", "/results")["accounts"]:
    print("%(role)s: profit %(profit)s USDT, drawdown %(drawdown)s, %(fills)s fills" % account)
lab("DELETE", "/clients/maker")
