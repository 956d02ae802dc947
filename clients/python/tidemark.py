"""A venue in a test: its time in hand, back and forth at will. One file, standard library only, Python 3.9 or newer.

    with tidemark.start_venue(deterministic=True) as venue:
        venue.clock.step("8h")

Process   `npx tidemark dev`, or the command in TIDEMARK_BIN, started on first use, shared by all processes of this user and ended
          with the last of them; or the laboratory at TIDEMARK_URL, with the token in TIDEMARK_LAB_TOKEN
pytest    fixtures `venue`, a fork for each test, and `venue_session`, what forks are made of. They are there once the package is
          installed, or with `pytest_plugins = ["tidemark"]` in conftest.py; `venue_options` is a fixture to override
Failed    a test of pytest that fails leaves the recording of its venue in `tidemark-recordings/`, or in the directory
          TIDEMARK_RECORDINGS (`off`: nowhere)
Errors    LabError
Names     as in TypeScript, in snake_case; the page is docs/testing.md
"""

import base64
import contextlib
import datetime
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import time
import types
import urllib.parse

try:
    import fcntl
except ImportError:  # Windows: each process has a laboratory of its own
    fcntl = None

_START_SECONDS_MAX = 60
_FLAGS = ["dev", "--port", "0", "--simulator", "off", "--ends-with-clients", "--venues-max", "512"]


class LabError(Exception):
    """What a venue or its laboratory refused: `code`, `message`, `field` (None: none), `status` (0: no answer), all `facts`."""

    def __init__(self, status, code, message, **facts):
        super().__init__(message)
        self.status, self.code, self.message, self.field, self.facts = status, code, message, facts.get("field"), facts


class _Calls:
    def __init__(self, url, token=None):
        self.url, self.token, self.path = url.rstrip("/"), token, urllib.parse.urlsplit(url).path.rstrip("/")

    def lab(self, method, path, body=None):
        """A call below /_lab; answers its data."""
        headers = {"Authorization": "Bearer " + self.token} if self.token else {}
        sent = None if body is None else json.dumps({k: v for k, v in body.items() if v is not None})
        status, text, answer = self._send(method, "/_lab" + path, sent, headers)
        if answer.get("ok") is True:
            return answer["data"]
        if status == 200:  # lines of JSON
            return [json.loads(line) for line in text.splitlines()]
        nothing = {"code": "no-laboratory", "message": self.url + " has no laboratory: start it with tidemark dev"}
        raise LabError(status, **answer.get("error", nothing))

    def file(self, path):
        """A file below /_lab."""
        headers = {"Authorization": "Bearer " + self.token} if self.token else {}
        status, content = self._receive("GET", "/_lab" + path, None, headers)
        if status == 200:
            return content
        said = {"code": "answer-wrong", "message": "GET /_lab%s was answered %d" % (path, status)}
        with contextlib.suppress(ValueError, KeyError):
            said = json.loads(content)["error"]
        raise LabError(status, **said)

    def signed(self, key, method, target, body=None):
        """A signed call of the interface; answers its data."""
        sent = "" if body is None else json.dumps(body, separators=(",", ":"))
        timestamp = str(int(time.time() * 1000))
        sign = hmac.new(key["secret"].encode(), (timestamp + method + target + sent).encode(), hashlib.sha256).digest()
        headers = {"ACCESS-KEY": key["apiKey"], "ACCESS-PASSPHRASE": key["passphrase"]}
        headers.update({"ACCESS-TIMESTAMP": timestamp, "ACCESS-SIGN": base64.b64encode(sign).decode()})
        status, text, answer = self._send(method, target, sent or None, headers)
        if answer.get("code") == "00000":
            return answer["data"]
        code, said = answer.get("code", "answer-wrong"), answer.get("msg", text[:200])
        raise LabError(status, str(code), "%s %s: %s %s" % (method, target, code, said))

    def attach(self):
        """Holds the laboratory; None: there is none."""
        connection = self._connection()
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection.request("GET", self.path + "/_lab/attached")
            answer = connection.getresponse()
            return (connection, answer) if answer.status == 200 else None

    def _send(self, method, target, body, headers):
        """Status, text, and the object that the text is, if it is one."""
        status, content = self._receive(method, target, body, headers)
        text, found = content.decode(), None
        with contextlib.suppress(ValueError):
            found = json.loads(text)
        return status, text, found if isinstance(found, dict) else {}

    def _receive(self, method, target, body, headers):
        connection = self._connection()
        try:
            typed = {} if body is None else {"Content-Type": "application/json"}
            connection.request(method, self.path + target, None if body is None else body.encode(), {**typed, **headers})
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as cause:
            raise LabError(0, "unreachable", "there is no answer from " + self.url) from cause
        finally:
            connection.close()

    def _connection(self):
        parts = urllib.parse.urlsplit(self.url)
        of = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        return of(parts.hostname, parts.port)


_held = {}


def _process(deterministic, rate_limits):
    """The laboratory that processes with these settings share. A file says where it is: who locks that finds or starts it."""
    command = shlex.split(os.environ.get("TIDEMARK_BIN", "npx tidemark")) + _FLAGS
    command += ["--deterministic"] * deterministic + ["--no-rate-limits"] * (not rate_limits)
    owner = os.getuid() if fcntl else os.getpid()
    name = hashlib.sha256(repr((owner, command)).encode()).hexdigest()[:16]
    path = os.path.join(tempfile.gettempdir(), "tidemark-python-" + name)
    held = os.getpid(), path  # a process that was forked has to hold it by itself
    if held not in _held:
        with open(path, "a+", opener=_private) as place:
            if fcntl:
                fcntl.flock(place, fcntl.LOCK_EX)
            place.seek(0)
            calls = _Calls(place.read())
            attached = calls.url and calls.attach()
            if not attached:
                calls = _Calls(_start(command, path + ".log"))
                attached = calls.attach()
                place.truncate(0)
                place.write(calls.url)
        _held[held] = calls, attached
    return _held[held][0]


def _private(path, flags):
    found = os.open(path, flags, 0o600)
    if fcntl and os.fstat(found).st_uid != os.getuid():
        raise LabError(0, "no-start", path + " belongs to somebody else")
    return found


def _start(command, log):
    """Where it is ready. Settings of a venue in this process are not those of the laboratory."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TIDEMARK_")}
    with open(log, "wb", opener=_private) as said:
        try:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=environment, start_new_session=True)
        except OSError as cause:
            raise LabError(0, "no-start", "%s does not start: %s" % (command[0], cause)) from cause
    until = time.monotonic() + _START_SECONDS_MAX
    while True:
        ended = child.poll() is not None or time.monotonic() > until
        text = pathlib.Path(log).read_text()
        ready = re.search(r"^ready (\S+)$", text, re.MULTILINE)
        if ready is not None:
            return ready[1]
        if ended:
            child.kill()
            raise LabError(0, "no-start", "the laboratory did not start: " + text.strip()[-2000:])
        time.sleep(0.015)


class Clock:
    """A venue's time. Durations: "250ms", "8h", "90d" or milliseconds; times: Unix milliseconds or ISO 8601 with a zone."""

    def __init__(self, call):
        self._call, self._driven = call, None
        self.now, self.mode = lambda: call("GET", "")["now"], lambda: call("GET", "")["clock"]
        self.freeze, self.thaw = lambda: self._move(freeze=True), lambda: self._move(thaw=True)
        self.step, self.to = lambda duration: self._move(step=duration), lambda at: self._move(to=at)
        self.speed = lambda factor: self._move(speed=factor)

    next = lambda self, what, symbol=None: self._move(next=what, symbol=symbol)
    until = lambda self, condition, max=None: self._move(until=condition, max=max)

    def drive(self, frozen_time):
        """From here on the time of freezegun (what `freeze_time` gives) follows this clock, which is frozen."""
        self._driven = frozen_time
        self.freeze()

    def follow(self, now):
        if self._driven is not None:
            self._driven.move_to(datetime.datetime.fromtimestamp(now / 1000, datetime.timezone.utc))

    def _move(self, **body):
        moved = self._call("POST", "/clock", body)
        self.follow(moved["now"])
        return moved


class Faults:
    """What goes wrong on purpose, and the truth of it: `add("lost-ack", nth=1, on={"role": "unified-main"})`."""

    def __init__(self, call):
        self.clear, self.list = lambda: call("DELETE", "/faults"), lambda: call("GET", "/faults")
        self.preset, self._call = lambda name: call("POST", "/faults", {"preset": name})["rules"], call
        self.firings = lambda after=0: call("GET", "/firings?after=%d" % after)

    def add(self, fault, when=None, with_=None, **rule):
        """`nth`, `every`, `first`, `between`, `after` and `chance` may stand beside `when`."""
        counts = {name: rule.pop(name) for name in ("nth", "every", "first", "between", "after", "chance") if name in rule}
        return self._call("POST", "/faults", {"fault": fault, "when": {**(when or {}), **counts}, "with": with_, **rule})


_CHEATS = ("balance", "position", "price", "funding", "liquidate", "adl", "fees", "halt", "market")


class Venue(contextlib.AbstractContextManager):
    """One venue; from `start_venue` or `fork`. It stops at the end of `with`. `cheats.price(...)` and so on: by ordinary commands."""

    def __init__(self, shown, home):
        self.id, self.url, self.ws, self.keys, self.version = (shown[k] for k in ("venue", "url", "ws", "keys", "version"))
        self._home, self._calls, self._stopped = home, _Calls(shown["url"], home.token), False
        self.clock = Clock(self._calls.lab)
        self.cheats = types.SimpleNamespace(**{name: self._cheat(name) for name in _CHEATS})
        self.call = self._calls.lab  # any call below /_lab, an operator's (`/operator/prices`) too; answers its data
        self.faults = Faults(self.call)

    __exit__ = lambda self, *_: self.stop()

    def request(self, role, method, target, body=None):
        """A call of the interface, signed with the key of a role; answers its data, or raises LabError with its code."""
        return self._calls.signed(self._key(role), method, target, body)

    def ccxt(self, library, role, **options):
        """An exchange of `ccxt`, `ccxt.async_support` or `ccxt.pro` with the key of a role, every address replaced."""
        key, v2, v3 = self._key(role), self.ws["v2"], self.ws["v3"]
        exchange = library.bitget({"apiKey": key["apiKey"], "secret": key["secret"], "password": key["passphrase"], **options})
        sockets = {"public": v2["public"], "private": v2["private"], "utaPublic": v3["public"], "utaPrivate": v3["private"]}
        api = exchange.urls["api"] = dict(exchange.urls["api"])
        api.update({name: self.url if isinstance(at, str) else {**at, **sockets} for name, at in api.items()})
        return exchange

    snapshot = lambda self, name=None: self.call("POST", "/snapshots", {"name": name})

    revert = lambda self, snapshot, streams=None: self._back("/revert", {"snapshot": _id(snapshot), "streams": streams})
    reset = lambda self, streams=None: self._back("/reset", {"streams": streams})

    def fork(self, snapshot=None, at=None):
        """What this venue is, or was: at a snapshot, or `at={"sequence": n}` or `{"time": ...}`. Stop it, too."""
        return Venue(self.call("POST", "/fork", {"snapshot": _id(snapshot), "at": at}), self._home)

    def orders(self, role, **filter):
        """Open and ended orders as the interface gives them; `open=True` or `False` for some, other fields are compared."""
        return self._read("orders", role, filter)

    fills = lambda self, role, **filter: self._read("fills", role, filter)
    positions = lambda self, role, **filter: self._read("positions", role, filter)

    def hold(self, on=None):
        """From now on commands that match wait after admission, until they are released."""
        return self.call("POST", "/hold", {"on": on and _camel(on)})

    def end_hold(self):
        """Nothing more is held; what waits goes on waiting."""
        return self.call("DELETE", "/hold")

    def pending(self, at_least=0, timeout="5s"):
        """Commands that wait, once there are `at_least` so many."""
        return self.call("GET", "/pending?" + urllib.parse.urlencode({"atLeast": at_least, "timeout": timeout}))

    def release(self, order=None, seed=None):
        """Carried out one after the other: a list of ids, or all by "arrival" (usual), "reverse" or "shuffle"."""
        return self.call("POST", "/release", {"order": order, "seed": seed})

    def drop(self, id, answer):
        """It never happens, and its client is answered so: "none", a code, or {"code", "status"}."""
        return self.call("POST", "/drop", {"id": id, "answer": answer})

    def latency(self, rules):
        """How long everything takes, in place of what was said before: a list of rules."""
        return self.call("POST", "/latency", rules if isinstance(rules, dict) else {"rules": rules})

    def on_their_way(self, at_least=0, timeout="5s"):
        """What is on its way, once there are `at_least` so many commands."""
        return self.call("GET", "/latency?" + urllib.parse.urlencode({"atLeast": at_least, "timeout": timeout}))

    def wait(self, condition, timeout="30s"):
        """Until a condition of `clock.until` holds, whoever brings it about."""
        return self.call("GET", "/wait?" + urllib.parse.urlencode({"for": json.dumps(condition), "timeout": timeout}))

    journal = lambda self, **filter: self.call("GET", "/journal?" + urllib.parse.urlencode(filter))  # `uid`, `after`, `limit`
    # All of a symbol's book: `bids=[[59990, 1]], asks=[[60010, 1]]`; what stands before an order; the text of a file, or its fields.
    book = lambda self, symbol, **sides: self.call("POST", "/book", {"symbol": symbol, **sides})
    queue = lambda self, order_id: self.call("GET", "/queue?orderId=%s" % order_id)
    script = lambda self, text=None, **fields: self.call("POST", "/script", {"text": text, **fields})

    @contextlib.contextmanager
    def record(self, file):
        """Within `with`: all that this venue does, written to a file at the end, for `tidemark replay`."""
        self.call("POST", "/record", {"start": True})
        try:
            yield self
        finally:
            self.save_recording(file)
            self.call("POST", "/record", {"stop": True})

    def save_recording(self, file):
        """Writes what was recorded lately; its directory is made."""
        content, path = self._calls.file("/recording"), pathlib.Path(file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def sleep(self, duration):
        """So much of the venue's time: a clock that stands still is moved, and a running one is waited for."""
        speed = self.clock.mode()["speed"]
        return self.clock.step(duration) if speed == 0 else time.sleep(_milliseconds(duration) / speed / 1000)

    def stop(self):
        """The venue is gone. Once more does nothing."""
        if not self._stopped:
            self._stopped = True
            self._home.lab("DELETE", "/venues/" + self.id)

    _cheat = lambda self, name: lambda **fields: self.call("POST", "/cheats", {name: _camel(fields)})

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
        is_open, category, symbol, rows = wanted.pop("open", None), wanted.get("category"), wanted.get("symbol"), []
        # A hybrid account has two of everything.
        versions = ("v3", "v2") if role == "hybrid-main" else ("v3",) if role.startswith(("unified-", "read-only")) else ("v2",)
        for version, path, categories, field, at, opens in (row[1:] for v in versions for row in _LISTS if row[:2] == [what, v]):
            if is_open is not None and opens == ("ended" if is_open else "open"):
                continue
            for of in _CATEGORIES[categories]:
                is_margin = path.startswith("margin/")
                if (None not in (of, category) and of != category) or (is_margin and symbol is None):
                    continue
                query = {field: of} if field != "-" else {"symbol": symbol} if is_margin else {}
                query.update({} if what == "positions" else {"limit": "100"})
                data = self.request(role, "GET", "/api/%s/%s?%s" % (version, path, urllib.parse.urlencode(query)))
                found = (data if at == "-" else (data or {}).get(at)) or []
                rows += [row if of is None else {**row, "category": of} for row in found]
        return [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]


_FUTURES = ("USDT-FUTURES", "USDC-FUTURES", "COIN-FUTURES")
_CATEGORIES = {"-": (None,), "spot": ("SPOT",), "margin": ("MARGIN",), "futures": _FUTURES, "all": ("SPOT", "MARGIN") + _FUTURES}
# What, version, path, its categories (-: all in one), the field that says which, where the rows are (-: they are the data).
_LISTS = [row.split() for row in """
orders v3 trade/unfilled-orders - - list open
orders v3 trade/history-orders all category list ended
orders v2 spot/trade/unfilled-orders spot - - open
orders v2 spot/trade/history-orders spot - - ended
orders v2 margin/crossed/open-orders margin - orderList open
orders v2 margin/crossed/history-orders margin - orderList ended
orders v2 mix/order/orders-pending futures productType entrustedList open
orders v2 mix/order/orders-history futures productType entrustedList ended
fills v3 trade/fills - - list -
fills v2 spot/trade/fills spot - - -
fills v2 margin/crossed/fills margin - fills -
fills v2 mix/order/fills futures productType fillList -
positions v3 position/current-position futures category list -
positions v2 mix/position/all-position futures productType - -
""".strip().splitlines()]


def start_venue(deterministic=None, start_at=None, seed=None, simulator=None, from_=None, rate_limits=True, v3_dialect=None):
    """A venue of one's own. `deterministic`: the clock stands still, nobody else trades. `simulator`, unless told: where it runs.
    `v3_dialect`: "interface" or "live", how v3 speaks where recorded messages and the interface differ."""
    named = os.environ.get("TIDEMARK_URL")
    home = _Calls(named, os.environ.get("TIDEMARK_LAB_TOKEN")) if named else _process(bool(deterministic), rate_limits)
    if named and deterministic is not None and home.lab("GET", "")["deterministic"] != deterministic:
        message = "deterministic: the venue at %s (TIDEMARK_URL) was not started so" % named
        raise LabError(0, "option-wrong", message, field="deterministic")
    if not named and simulator is None and from_ is None:
        simulator = not deterministic
    body = {"startAt": start_at, "seed": seed, "simulator": simulator, "from": from_, "v3Dialect": v3_dialect}
    return Venue(home.lab("POST", "/venues", body), home)


_id = lambda snapshot: snapshot["snapshot"] if isinstance(snapshot, dict) else snapshot


_camel = lambda fields: {re.sub(r"_([a-z])", lambda found: found[1].upper(), name): value for name, value in fields.items()}


def _milliseconds(duration):
    found = re.fullmatch(r"([0-9]{1,12})(ms|s|m|h|d)?", str(duration))
    if found is None:
        raise ValueError("duration: 250ms, 8h, 90d or whole milliseconds are wanted")
    return int(found[1]) * {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}[found[2] or "ms"]


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

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(item, call):
        made = yield
        if call.when == "call":
            item.tidemark_failed = made.get_result().failed

    @pytest.fixture
    def venue(venue_session, request):
        with venue_session.fork() as fork:
            yield fork
            directory = os.environ.get("TIDEMARK_RECORDINGS") or "tidemark-recordings"
            if getattr(request.node, "tidemark_failed", False) and directory != "off":
                name = re.sub(r"[^A-Za-z0-9._-]+", "-", request.node.name)[:100]
                file = os.path.join(directory, name + ".tide")
                with contextlib.suppress(LabError):
                    fork.save_recording(file)
                    print("tidemark: its recording is %s (npx tidemark replay %s)" % (file, file))
