//! A venue in a test: its time in hand, back and forth at will. The standard library alone, Rust 1.73 or newer.
//!
//! ```no_run
//! use tidemark::json;
//! let venue = tidemark::start(json!({"deterministic": true}))?;
//! venue.clock.step("8h")?;
//! # Ok::<(), tidemark::LabError>(())
//! ```
//!
//! Process  `npx tidemark dev`, or the command in TIDEMARK_BIN, started on first use, shared by all tests of this process, and
//!          ended with it; or the laboratory at TIDEMARK_URL, with the token in TIDEMARK_LAB_TOKEN
//! Ends     a venue is gone when it is dropped
//! Absent   what may be left away is `()`: `venue.orders("unified-main", ())`
//! Errors   LabError
//! Names    as in TypeScript, in snake_case; fields as they are on the wire; the page is docs/testing.md
//! Files    calls.rs over `std::net`, laboratory.rs the process, accounts.rs what an account has; json.rs and sign.rs do what the
//!          standard library does not

mod accounts;
mod calls;
mod json;
mod laboratory;
mod sign;

pub use calls::{Answer, LabError};
pub use json::Json;

use calls::Calls;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{env, thread};

/// A venue of one's own. Options are those of docs/testing.md, by their names there.
pub fn start(options: impl Into<Json>) -> Answer<Venue> {
    let options = options.into();
    let asked = &options["deterministic"];
    let is_deterministic = *asked == Json::Bool(true);
    let mut body = options.clone().with("deterministic", Json::Null).with("rateLimits", Json::Null);
    let told = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let named = told("TIDEMARK_URL");
    let home = match &named {
        Some(url) => Calls { url: url.trim_end_matches('/').to_string(), token: told("TIDEMARK_LAB_TOKEN") },
        None => laboratory::shared(is_deterministic, options["rateLimits"] != Json::Bool(false))?,
    };
    if named.is_some() && *asked != Json::Null && *asked != home.lab("GET", "", Json::Null)?["deterministic"] {
        let message = format!("deterministic: the venue at {} (TIDEMARK_URL) was not started so", home.url);
        return Err(LabError::new(0, json!({"code": "option-wrong", "field": "deterministic", "message": message})));
    }
    if named.is_none() && options["simulator"] == Json::Null && options["from"] == Json::Null {
        body = body.with("simulator", Json::Bool(!is_deterministic));
    }
    Ok(Venue::of(home.lab("POST", "/venues", body)?, home))
}

/// Methods that are one call each: their arguments, and what is sent.
macro_rules! calls {
    ($($(#[$doc:meta])* $name:ident($($given:ident),*) => $method:literal $path:expr, $body:expr;)*) => { $(
        $(#[$doc])*
        pub fn $name(&self, $($given: impl Into<Json>),*) -> Answer {
            $(let $given: Json = $given.into();)*
            self.calls.lab($method, &$path, $body)
        }
    )* };
}

/// Time. Durations: "250ms", "8h", "90d" or milliseconds; times: Unix milliseconds or ISO 8601 with a zone.
#[derive(Debug)]
pub struct Clock {
    calls: Calls,
}

impl Clock {
    calls! {
        freeze() => "POST" "/clock", json!({"freeze": true});
        thaw() => "POST" "/clock", json!({"thaw": true});
        step(duration) => "POST" "/clock", json!({"step": duration});
        to(time) => "POST" "/clock", json!({"to": time});
        speed(factor) => "POST" "/clock", json!({"speed": factor});
        next(what, symbol) => "POST" "/clock", json!({"next": what, "symbol": symbol});
        until(condition, options) => "POST" "/clock", options.with("until", condition);
    }

    pub fn now(&self) -> Answer<u64> {
        Ok(self.calls.lab("GET", "", Json::Null)?["now"].number().unwrap_or_default() as u64)
    }

    /// `mode` and `speed`.
    pub fn mode(&self) -> Answer {
        Ok(self.calls.lab("GET", "", Json::Null)?["clock"].clone())
    }
}

/// What goes wrong on purpose. Rules and faults are those of docs/lab.md.
#[derive(Debug)]
pub struct Faults {
    calls: Calls,
}

impl Faults {
    calls! {
        /// A rule of docs/lab.md; what is of its `when` may stand beside the rest: `{"nth": 1}`.
        add(fault, rule) => "POST" "/faults", timed(rule).with("fault", fault);
        list() => "GET" "/faults", Json::Null;
        remove(rule) => "DELETE" format!("/faults/{}", rule.to_word()), Json::Null;
        clear() => "DELETE" "/faults", Json::Null;
        /// The rules of `flaky`, `hell` or `bitget-bad-day`.
        preset(name) => "POST" "/faults", json!({"preset": name});
        firings(after) => "GET" format!("/firings{}", json!({"after": after}).query()), Json::Null;
    }
}

/// By ordinary commands, so that the books add up.
#[derive(Debug)]
pub struct Cheats {
    calls: Calls,
}

impl Cheats {
    calls! {
        balance(fields) => "POST" "/cheats", json!({"balance": fields});
        deposit(fields) => "POST" "/cheats", json!({"deposit": fields});
        position(fields) => "POST" "/cheats", json!({"position": fields});
        price(fields) => "POST" "/cheats", json!({"price": fields});
        funding(fields) => "POST" "/cheats", json!({"funding": fields});
        liquidate(fields) => "POST" "/cheats", json!({"liquidate": fields});
        adl(fields) => "POST" "/cheats", json!({"adl": fields});
        fees(fields) => "POST" "/cheats", json!({"fees": fields});
        halt(fields) => "POST" "/cheats", json!({"halt": fields});
        market(fields) => "POST" "/cheats", json!({"market": fields});
    }
}

/// One venue, from `start` or `fork`. What it answers is the JSON of the page; orders, fills and positions are rows.
#[derive(Debug)]
pub struct Venue {
    pub url: String,
    /// `venue`, `ws`, `keys`, `version` and the rest of `GET /_lab`, of its first moment.
    pub shown: Json,
    pub clock: Clock,
    pub faults: Faults,
    pub cheats: Cheats,
    calls: Calls,
    home: Calls,
    stopped: AtomicBool,
}

impl Venue {
    calls! {
        snapshot(name) => "POST" "/snapshots", json!({"name": name});
        /// To a snapshot of this venue, by itself, its id or its name; `{"streams": "keep"}` leaves sockets open.
        revert(snapshot, options) => "POST" "/revert", options.with("snapshot", id(&snapshot));
        reset(options) => "POST" "/reset", options;
        /// Commands that match wait once they are admitted.
        hold(on) => "POST" "/hold", json!({"on": on});
        /// Nothing more is held; what waits goes on waiting.
        end_hold() => "DELETE" "/hold", Json::Null;
        /// Those that wait; `{"atLeast": 2}` is answered when so many do.
        pending(options) => "GET" format!("/pending{}", options.query()), Json::Null;
        /// A list of ids, or "arrival", "reverse" or "shuffle", which takes a `seed`.
        release(order, options) => "POST" "/release", options.with("order", order);
        drop(id, answer) => "POST" "/drop", json!({"id": id, "answer": answer});
        /// All rules, in a list; an empty one takes them away.
        latency(rules) => "POST" "/latency", if rules["rules"] == Json::Null { json!({"rules": rules}) } else { rules };
        /// What is on its way; `{"atLeast": 2}` is answered when so many commands are.
        on_their_way(options) => "GET" format!("/latency{}", options.query()), Json::Null;
        /// The whole book of a symbol: `{"bids": [[59990, 1]], "asks": [[60010, 1]]}`.
        book(symbol, sides) => "POST" "/book", sides.with("symbol", symbol);
        /// What stands before and behind a resting order.
        queue(order_id) => "GET" format!("/queue{}", json!({"orderId": order_id}).query()), Json::Null;
        /// Makers and steps, as the text of a file or as fields.
        script(script) => "POST" "/script", if script.text().is_some() { json!({"text": script}) } else { script };
        /// Until a condition of `clock.until` holds, whoever brings it about; `{"timeout": "5s"}`.
        wait(condition, options) => "GET" format!("/wait{}", options.with("for", condition).query()), Json::Null;
        /// Commands and what came of them; `uid`, `after`, `limit`.
        journal(filter) => "GET" format!("/journal{}", filter.query()), Json::Null;
    }

    fn of(shown: Json, home: Calls) -> Venue {
        let calls = || Calls { url: shown["url"].to_word(), token: home.token.clone() };
        let (clock, faults, cheats) = (Clock { calls: calls() }, Faults { calls: calls() }, Cheats { calls: calls() });
        Venue { url: calls().url, clock, faults, cheats, calls: calls(), shown, home, stopped: AtomicBool::new(false) }
    }

    /// Any call below /_lab, an operator's (`/operator/prices`) too; answers its data.
    pub fn call(&self, method: &str, path: &str, body: impl Into<Json>) -> Answer {
        self.calls.lab(method, path, body.into())
    }

    /// A call of the interface, signed with the key of a role; answers its data, or LabError with its code.
    pub fn request(&self, role: &str, method: &str, target: &str, body: impl Into<Json>) -> Answer {
        self.calls.signed(self.key(role), method, target, body.into())
    }

    /// `uid`, `apiKey`, `secret` and `passphrase` of a role.
    pub fn key(&self, role: &str) -> &Json {
        let key = &self.shown["keys"][role];
        assert!(*key != Json::Null, "role: there is no {role}, only those of {}", self.shown["keys"]);
        key
    }

    /// What this venue is, or was: at a `snapshot`, or `at` a `sequence` or `time`.
    pub fn fork(&self, options: impl Into<Json>) -> Answer<Venue> {
        let options = options.into();
        let snapshot = id(&options["snapshot"]);
        Ok(Venue::of(self.call("POST", "/fork", options.with("snapshot", snapshot))?, self.home.clone()))
    }

    /// Open and ended orders as the interface gives them; `{"open": true}` for some, other fields are compared.
    pub fn orders(&self, role: &str, filter: impl Into<Json>) -> Answer<Vec<Json>> {
        accounts::read(self, "orders", role, &filter.into())
    }

    pub fn fills(&self, role: &str, filter: impl Into<Json>) -> Answer<Vec<Json>> {
        accounts::read(self, "fills", role, &filter.into())
    }

    pub fn positions(&self, role: &str, filter: impl Into<Json>) -> Answer<Vec<Json>> {
        accounts::read(self, "positions", role, &filter.into())
    }

    /// So much of the venue's time: a clock that stands still is moved, and a running one is waited for.
    pub fn sleep(&self, duration: Duration) -> Answer<()> {
        let speed = self.clock.mode()?["speed"].number().unwrap_or_default();
        if speed == 0.0 {
            return self.clock.step(duration.as_millis() as f64).map(|_| ());
        }
        thread::sleep(duration.div_f64(speed));
        Ok(())
    }

    /// The venue is gone. Once more does nothing.
    pub fn stop(&self) -> Answer<()> {
        let path = format!("/venues/{}", self.shown["venue"].to_word());
        if self.stopped.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        self.home.lab("DELETE", &path, Json::Null).map(|_| ())
    }
}

impl Drop for Venue {
    fn drop(&mut self) {
        let _ = self.stop();
    }
}

/// Of a snapshot, by itself or named.
fn id(snapshot: &Json) -> Json {
    match snapshot {
        Json::Object(_) => snapshot["snapshot"].clone(),
        named => named.clone(),
    }
}

/// A rule with `nth` and its like within `when`.
fn timed(rule: Json) -> Json {
    let is_when = |name: &str| ["nth", "every", "first", "between", "after", "chance"].contains(&name);
    let (when, others): (Vec<_>, Vec<_>) = rule.fields().iter().cloned().partition(|(name, _)| is_when(name));
    if when.is_empty() {
        return rule;
    }
    Json::Object(others).with("when", Json::Object(when))
}
