"""A venue in a test: its time in hand, back and forth at will. One file, standard library only, Python 3.9 or newer.

    with tidemark.start_venue(deterministic=True) as venue:
        venue.clock.step("8h")

Process   `npx tidemark dev`, or the command in TIDEMARK_BIN, started on first use and ended with this one; or the laboratory at
          TIDEMARK_URL, with the token in TIDEMARK_LAB_TOKEN
pytest    fixtures `venue`, a fork for each test, and `venue_session`, what forks are made of. They are there once the package is
          installed, or with `pytest_plugins = ["tidemark"]` in conftest.py; `venue_options` is a fixture to override
Errors    LabError
Names     as in TypeScript, in snake_case; the page is docs/testing.md
"""

import atexit
import base64
import datetime
import hashlib
import hmac
import http.client
import json
import os
import re
import shlex
import subprocess
import tempfile
import threading
import time
import urllib.parse

_START_SECONDS_MAX = 60
_VENUES_MAX = 512


class LabError(Exception):
    """What a venue or its laboratory refused: `code`, `message`, `field` (None: none), `status` (0: no answer), all `facts`."""

    def __init__(self, status, code, message, **facts):
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
        self.field, self.facts = facts.get("field"), facts


class _Calls:
    def __init__(self, url, token=None):
        self.url, self.token = url.rstrip("/"), token

    def lab(self, method, path, body=None):
        """A call below /_lab; answers its data."""
        headers = {} if self.token is None else {"Authorization": "Bearer " + self.token}
        sent = None if body is None else json.dumps({k: v for k, v in body.items() if v is not None})
        status, text = self._send(method, "/_lab" + path, sent, headers)
        answer = _parsed(text)
        if isinstance(answer, dict) and answer.get("ok") is True:
            return answer["data"]
        if isinstance(answer, dict) and isinstance(answer.get("error"), dict):
            raise LabError(status, **answer["error"])
        if status == 200:  # lines of JSON
            return [json.loads(line) for line in text.splitlines() if line]
        if status == 404:
            raise LabError(404, "no-laboratory", self.url + " has no laboratory: start it with tidemark dev")
        raise LabError(status, "answer-wrong", "%s /_lab%s was answered %s: %s" % (method, path, status, text[:200]))

    def signed(self, key, method, target, body=None):
        """A signed call of the interface; answers its data."""
        sent = "" if body is None else json.dumps(body, separators=(",", ":"))
        timestamp = str(int(time.time() * 1000))
        secret, signed = key["secret"].encode(), (timestamp + method + target + sent).encode()
        sign = base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
        headers = {"ACCESS-KEY": key["apiKey"], "ACCESS-SIGN": sign, "ACCESS-TIMESTAMP": timestamp}
        headers["ACCESS-PASSPHRASE"] = key["passphrase"]
        status, text = self._send(method, target, sent or None, headers)
        answer = _parsed(text)
        if isinstance(answer, dict) and answer.get("code") == "00000":
            return answer["data"]
        code, said = (answer.get("code"), answer.get("msg")) if isinstance(answer, dict) else ("answer-wrong", text[:200])
        raise LabError(status, str(code), "%s %s: %s %s" % (method, target, code, said))

    def _send(self, method, target, body, headers):
        connection = self.connect()
        try:
            if body is not None:
                headers = {"Content-Type": "application/json", **headers}
            connection.request(method, target, None if body is None else body.encode(), headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except (OSError, http.client.HTTPException) as cause:
            raise LabError(0, "unreachable", "there is no answer from " + self.url) from cause
        finally:
            connection.close()

    def connect(self):
        parts = urllib.parse.urlsplit(self.url)
        of = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        return of(parts.hostname, parts.port)


class _Process:
    """A laboratory that ends with whoever holds it."""

    _shared = {}
    _lock = threading.Lock()

    @classmethod
    def at(cls, deterministic, rate_limits):
        with cls._lock:
            named = (os.getpid(), deterministic, rate_limits)
            if named not in cls._shared:
                cls._shared[named] = cls(deterministic, rate_limits)
            return cls._shared[named]

    def __init__(self, deterministic, rate_limits):
        command = shlex.split(os.environ.get("TIDEMARK_BIN", "npx tidemark")) + ["dev", "--port", "0", "--simulator", "off"]
        command += ["--ends-with-clients", "--venues-max", str(_VENUES_MAX)]
        command += ["--deterministic"] * deterministic + ["--no-rate-limits"] * (not rate_limits)
        # Settings of a venue in this process are not those of the laboratory.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TIDEMARK_")}
        with tempfile.TemporaryFile() as said:
            try:
                self._child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said, env=environment)
            except OSError as cause:
                raise LabError(0, "no-start", "%s does not start: %s" % (command[0], cause)) from cause
            late = threading.Timer(_START_SECONDS_MAX, self._child.kill)
            late.start()
            found = (re.match(rb"ready (\S+)", line) for line in self._child.stdout)
            ready = next((match for match in found if match), None)
            late.cancel()
            if ready is None:
                self._child.wait()
                said.seek(0)
                raise LabError(0, "no-start", "the laboratory did not start: " + said.read().decode().strip()[-2000:])
        self.calls = _Calls(ready[1].decode())
        self._attached = self.calls.connect()
        self._attached.request("GET", "/_lab/attached")
        self._answer = self._attached.getresponse()
        atexit.register(self._child.terminate)


class Clock:
    """A venue's time. Durations: "250ms", "8h", "90d" or milliseconds; times: Unix milliseconds or ISO 8601 with a zone."""

    def __init__(self, calls):
        self._calls, self._driven = calls, None

    def now(self):
        return self._calls.lab("GET", "")["now"]

    def mode(self):
        return self._calls.lab("GET", "")["clock"]

    def freeze(self):
        return self._move(freeze=True)

    def thaw(self):
        return self._move(thaw=True)

    def step(self, duration):
        return self._move(step=duration)

    def to(self, at):
        return self._move(to=at)

    def next(self, what, symbol=None):
        return self._move(next=what, symbol=symbol)

    def until(self, condition, max=None):
        return self._move(until=condition, max=max)

    def speed(self, factor):
        return self._move(speed=factor)

    def drive(self, frozen_time):
        """From here on the time of freezegun (what `freeze_time` gives) follows this clock, which is frozen."""
        self._driven = frozen_time
        self.freeze()

    def follow(self, now):
        if self._driven is not None:
            self._driven.move_to(datetime.datetime.fromtimestamp(now / 1000, datetime.timezone.utc))

    def _move(self, **body):
        moved = self._calls.lab("POST", "/clock", body)
        self.follow(moved["now"])
        return moved


class Cheats:
    """What no venue lets anybody do, by ordinary commands: balance, position, price, funding, liquidate, adl, fees, halt."""

    def __init__(self, calls):
        self._calls = calls

    def __getattr__(self, name):
        if name not in ("balance", "position", "price", "funding", "liquidate", "adl", "fees", "halt"):
            raise AttributeError("there is no cheat " + name)
        return lambda **fields: self._calls.lab("POST", "/cheats", {name: _camel(fields)})


class Venue:
    """One venue; from `start_venue` or `fork`. A context manager: it stops at the end."""

    def __init__(self, shown, home):
        self.id, self.url, self.ws, self.keys, self.version = (shown[k] for k in ("venue", "url", "ws", "keys", "version"))
        self._home, self._calls, self._stopped = home, _Calls(shown["url"], home.token), False
        self.clock, self.cheats = Clock(self._calls), Cheats(self._calls)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def call(self, method, path, body=None):
        """Any call below /_lab, an operator's (`/operator/prices`) too; answers its data."""
        return self._calls.lab(method, path, body)

    def request(self, role, method, target, body=None):
        """A call of the interface, signed with the key of a role; answers its data, or raises LabError with its code."""
        return self._calls.signed(self._key(role), method, target, body)

    def ccxt(self, library, role, **options):
        """An exchange of `ccxt`, `ccxt.async_support` or `ccxt.pro` with the key of a role, every address replaced."""
        key = self._key(role)
        exchange = library.bitget({**{"apiKey": key["apiKey"], "secret": key["secret"], "password": key["passphrase"]}, **options})
        v2, v3 = self.ws["v2"], self.ws["v3"]
        sockets = {"public": v2["public"], "private": v2["private"], "utaPublic": v3["public"], "utaPrivate": v3["private"]}
        addresses = exchange.urls["api"].items()
        exchange.urls["api"] = {name: self.url if isinstance(at, str) else {**at, **sockets} for name, at in addresses}
        return exchange

    def snapshot(self, name=None):
        return self.call("POST", "/snapshots", {"name": name})

    def revert(self, snapshot, streams=None):
        """To a snapshot of this venue, by itself, its id or its name."""
        return self._back("/revert", {"snapshot": _id(snapshot), "streams": streams})

    def reset(self, streams=None):
        return self._back("/reset", {"streams": streams})

    def fork(self, snapshot=None, at=None):
        """What this venue is, or was: at a snapshot, or `at={"sequence": n}` or `{"time": ...}`. Stop it, too."""
        return Venue(self.call("POST", "/fork", {"snapshot": _id(snapshot), "at": at}), self._home)

    def orders(self, role, **filter):
        """Open and ended orders as the interface gives them; `open=True` or `False` for some, other fields are compared."""
        return self._read("orders", role, filter)

    def fills(self, role, **filter):
        return self._read("fills", role, filter)

    def positions(self, role, **filter):
        return self._read("positions", role, filter)

    def wait(self, condition, timeout=None):
        """Until a condition of `clock.until` holds, whoever brings it about."""
        query = {"for": json.dumps(condition), **({} if timeout is None else {"timeout": timeout})}
        return self.call("GET", "/wait?" + urllib.parse.urlencode(query))

    def journal(self, **filter):
        """Commands and what came of them; `uid`, `after`, `limit`."""
        return self.call("GET", "/journal?" + urllib.parse.urlencode(filter))

    def sleep(self, duration):
        """So much of the venue's time: a clock that stands still is moved, and a running one is waited for."""
        clock = self.clock.mode()
        if clock["mode"] == "manual" and clock["speed"] == 0:
            self.clock.step(duration)
        else:
            time.sleep(_milliseconds(duration) / clock["speed"] / 1000)

    def stop(self):
        """The venue is gone. Once more does nothing."""
        if not self._stopped:
            self._stopped = True
            self._home.lab("DELETE", "/venues/" + self.id)

    def _key(self, role):
        if role not in self.keys:
            raise ValueError("role: there is no %s, only %s" % (role, ", ".join(self.keys)))
        return self.keys[role]

    def _back(self, path, body):
        gone = self.call("POST", path, body)
        self.clock.follow(gone["now"])
        return gone

    def _read(self, what, role, filter):
        wanted = _camel(filter)
        is_open, category, symbol = wanted.pop("open", None), wanted.get("category"), wanted.get("symbol")
        rows = []
        for path, categories, field, at, opens in sum((_LISTS[what][v] for v in _versions(role)), []):
            if None not in (is_open, opens) and opens != is_open:
                continue
            for of in categories or (None,):
                asks_symbol = "/margin/" in path
                if (None not in (of, category) and of != category) or (asks_symbol and symbol is None):
                    continue
                query = {field: of} if field else {"symbol": symbol} if asks_symbol else {}
                if what != "positions":
                    query["limit"] = "100"
                data = self.request(role, "GET", path + "?" + urllib.parse.urlencode(query))
                found = (data if at is None else (data or {}).get(at)) or []
                rows += [row if of is None else {**row, "category": of} for row in found]
        return [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]


def _versions(role):
    """A hybrid account has two of everything."""
    if role == "hybrid-main":
        return ("v3", "v2")
    return ("v3",) if role.startswith("unified-") or role == "read-only" else ("v2",)


_FUTURES = ("USDT-FUTURES", "USDC-FUTURES", "COIN-FUTURES")
_EVERY = ("SPOT", "MARGIN") + _FUTURES
# Path, its categories (None: all in one), the field that says which, where the rows are (None: they are the data), whether they are open.
_LISTS = {
    "orders": {
        "v3": [("/api/v3/trade/unfilled-orders", None, None, "list", True), ("/api/v3/trade/history-orders", _EVERY, "category", "list", False)],
        "v2": [
            ("/api/v2/spot/trade/unfilled-orders", ("SPOT",), None, None, True),
            ("/api/v2/spot/trade/history-orders", ("SPOT",), None, None, False),
            ("/api/v2/margin/crossed/open-orders", ("MARGIN",), None, "orderList", True),
            ("/api/v2/margin/crossed/history-orders", ("MARGIN",), None, "orderList", False),
            ("/api/v2/mix/order/orders-pending", _FUTURES, "productType", "entrustedList", True),
            ("/api/v2/mix/order/orders-history", _FUTURES, "productType", "entrustedList", False),
        ],
    },
    "fills": {
        "v3": [("/api/v3/trade/fills", None, None, "list", None)],
        "v2": [
            ("/api/v2/spot/trade/fills", ("SPOT",), None, None, None),
            ("/api/v2/margin/crossed/fills", ("MARGIN",), None, "fills", None),
            ("/api/v2/mix/order/fills", _FUTURES, "productType", "fillList", None),
        ],
    },
    "positions": {
        "v3": [("/api/v3/position/current-position", _FUTURES, "category", "list", None)],
        "v2": [("/api/v2/mix/position/all-position", _FUTURES, "productType", None, None)],
    },
}


def start_venue(deterministic=None, start_at=None, seed=None, simulator=None, from_=None, rate_limits=True, v3_dialect=None):
    """A venue of one's own. `deterministic`: the clock stands still, nobody else trades. `simulator`, unless told: where it runs.
    `v3_dialect`: "interface" or "live", how v3 speaks where recorded messages and the interface differ."""
    named = os.environ.get("TIDEMARK_URL")
    if named:
        home = _Calls(named, os.environ.get("TIDEMARK_LAB_TOKEN"))
        if deterministic is not None and home.lab("GET", "")["deterministic"] != deterministic:
            how = "without" if deterministic else "with"
            message = "deterministic: the venue at %s (TIDEMARK_URL) was started %s --deterministic" % (named, how)
            raise LabError(0, "option-wrong", message, field="deterministic")
    else:
        home = _Process.at(bool(deterministic), rate_limits).calls
        if simulator is None and from_ is None:
            simulator = not deterministic
    body = {"startAt": start_at, "seed": seed, "simulator": simulator, "from": from_, "v3Dialect": v3_dialect}
    return Venue(home.lab("POST", "/venues", body), home)


def _id(snapshot):
    return snapshot["snapshot"] if isinstance(snapshot, dict) else snapshot


def _camel(fields):
    return {re.sub(r"_([a-z])", lambda found: found[1].upper(), name): value for name, value in fields.items()}


def _milliseconds(duration):
    found = re.fullmatch(r"([0-9]{1,12})(ms|s|m|h|d)?", str(duration))
    if found is None:
        raise ValueError("duration: 250ms, 8h, 90d or whole milliseconds are wanted")
    return int(found[1]) * {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}[found[2] or "ms"]


def _parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


try:
    import pytest
except ImportError:  # the fixtures are for those who have it
    pass
else:

    @pytest.fixture(scope="session")
    def venue_options():
        """Arguments of `start_venue` for all venues of the run."""
        return {}

    @pytest.fixture(scope="session")
    def venue_session(venue_options):
        with start_venue(**venue_options) as session:
            yield session

    @pytest.fixture
    def venue(venue_session):
        with venue_session.fork() as fork:
            yield fork
