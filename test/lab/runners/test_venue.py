"""Tests as somebody writes them with pytest. Without pytest: `python3 test_venue.py` calls the fixtures' parts by hand."""

import types

import tidemark

OPTIONS = {"deterministic": True, "rate_limits": False}
seen = set()

try:
    import pytest
except ImportError:
    pass
else:

    @pytest.fixture(scope="session")
    def venue_options():
        return OPTIONS


def test_one_moves_its_clock(venue, venue_session):
    seen.update((venue.id, venue_session.id))
    assert venue.clock.step("1h")["now"] == 1767225600000 + 3_600_000


def test_another_begins_where_the_first_began(venue, venue_session):
    seen.update((venue.id, venue_session.id))
    assert venue.clock.now() == 1767225600000
    assert len(seen) == 3


class Exchange:
    def __init__(self, settings):
        self.settings = settings
        self.urls = {"api": {"spot": "https://a", "uta": "https://b", "ws": {"public": "wss://c", "utaPrivate": "wss://d"}}}


def test_ccxt_has_every_address_replaced(venue):
    exchange = venue.ccxt(types.SimpleNamespace(bitget=Exchange), "unified-main", enableRateLimit=False)
    assert exchange.settings["apiKey"] == "dev-unified-main" and exchange.settings["enableRateLimit"] is False
    assert exchange.urls["api"]["spot"] == exchange.urls["api"]["uta"] == venue.url
    assert exchange.urls["api"]["ws"]["utaPrivate"] == venue.ws["v3"]["private"]


class Frozen:
    def move_to(self, at):
        self.at = at


def test_frozen_time_follows(venue):
    frozen = Frozen()
    venue.clock.drive(frozen)
    assert frozen.at.isoformat() == "2026-01-01T00:00:00+00:00"
    venue.clock.next("funding")
    assert frozen.at.isoformat() == "2026-01-01T08:00:00+00:00"
    venue.reset()
    assert frozen.at.isoformat() == "2026-01-01T00:00:00+00:00"


if __name__ == "__main__":
    with tidemark.start_venue(**OPTIONS) as session:
        for test in (test_one_moves_its_clock, test_another_begins_where_the_first_began):
            with session.fork() as fork:
                test(fork, session)
        for test in (test_ccxt_has_every_address_replaced, test_frozen_time_follows):
            with session.fork() as fork:
                test(fork)
    print("4 passed")
