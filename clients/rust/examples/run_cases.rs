//! Runs the shared cases (clients/cases.json) through src/lib.rs: a line for each, and exit code 1 if one fails.
//!
//! Names of the cases are those of TypeScript. Rust finds no method by its name: `attempt` has each, and says which is missing. With
//! `echo` it reads lines of JSON from standard input and writes them again.

use std::collections::HashMap;
use std::time::Duration;
use std::{env, fs, io, panic, process};
use tidemark::{Answer, Json, LabError, Venue};

enum Thing {
    Venue(Box<Venue>),
    Json(Json),
}

type Known = HashMap<String, Thing>;

fn main() {
    let file = env::args().nth(1).unwrap_or_else(|| "../cases.json".to_string());
    if file == "echo" {
        return io::stdin().lines().map_while(Result::ok).for_each(|line| match Json::read(&line) {
            Ok(value) => println!("{value}"),
            Err(wrong) => println!("{wrong}"),
        });
    }
    let cases = Json::read(&fs::read_to_string(&file).expect("the file of the cases is read")).expect("it is JSON");
    let mut failed = 0;
    for case in cases["cases"].list() {
        let done = panic::catch_unwind(|| run(case)).is_ok();
        println!("{} {}", if done { "ok" } else { "failed" }, case["name"].text().unwrap_or_default());
        failed += i32::from(!done);
    }
    process::exit(failed.min(1));
}

fn run(case: &Json) {
    let mut known = Known::new();
    known.insert("venue".to_string(), Thing::Venue(Box::new(tidemark::start(&case["options"]).unwrap_or_else(|error| panic!("{error}")))));
    for step in case["steps"].list() {
        take(step, &mut known);
    }
}

fn take(step: &Json, known: &mut Known) {
    let call = step["call"].text().expect("a step has a call");
    let Some(Thing::Venue(venue)) = known.get(step["of"].text().unwrap_or("venue")) else { panic!("{call}: of no venue") };
    let mut given = meant(&step["with"], known).list().to_vec();
    given.extend((step["options"] != Json::Null).then(|| meant(&step["options"], known)));
    let (wanted, refused) = (meant(&step["gives"], known), &step["fails"]);
    let answer = match attempt(venue, call, &given) {
        Err(error) if *refused != Json::Null => return check(&fields(&error), refused, call),
        Err(error) => panic!("{call}: {error}"),
        Ok(_) if *refused != Json::Null => panic!("{call}: nothing was refused"),
        Ok(answer) => answer,
    };
    let json = if let Thing::Json(json) = &answer { json } else { &Json::Null };
    if step["gives"] != Json::Null {
        check(json, &wanted, call);
    }
    if let Some(count) = step["count"].number() {
        assert_eq!(json.list().len() as f64, count, "{call}: {json}");
    }
    if let Some(name) = step["as"].text() {
        known.insert(name.to_string(), answer);
    }
}

/// A method by its name, with as many arguments as were given; those that are not are null.
fn attempt(venue: &Venue, call: &str, given: &[Json]) -> Answer<Thing> {
    let arg = |at: usize| given.get(at).unwrap_or(&Json::Null);
    let text = |at: usize| arg(at).text().unwrap_or_else(|| panic!("{call}: argument {at} is a text"));
    let (clock, faults, cheats) = (&venue.clock, &venue.faults, &venue.cheats);
    let answer = match call {
        "fork" => return venue.fork(arg(0)).map(Box::new).map(Thing::Venue),
        "stop" => venue.stop().map(|()| Json::Null),
        "call" => venue.call(text(0), text(1), arg(2)),
        "request" => venue.request(text(0), text(1), text(2), arg(3)),
        "snapshot" => venue.snapshot(arg(0)),
        "revert" => venue.revert(arg(0), arg(1)),
        "reset" => venue.reset(arg(0)),
        "orders" => venue.orders(text(0), arg(1)).map(Json::List),
        "fills" => venue.fills(text(0), arg(1)).map(Json::List),
        "positions" => venue.positions(text(0), arg(1)).map(Json::List),
        "wait" => venue.wait(arg(0), arg(1)),
        "journal" => venue.journal(arg(0)),
        "sleep" => venue.sleep(duration(text(0))).map(|()| Json::Null),
        "hold" => venue.hold(arg(0)),
        "endHold" => venue.end_hold(),
        "pending" => venue.pending(arg(0)),
        "release" => venue.release(arg(0), arg(1)),
        "drop" => venue.drop(arg(0), arg(1)),
        "latency" => venue.latency(arg(0)),
        "onTheirWay" => venue.on_their_way(arg(0)),
        "queue" => venue.queue(arg(0)),
        "script" => venue.script(arg(0)),
        "book" => venue.book(arg(0), arg(1)),
        "clock.now" => clock.now().map(Json::from),
        "clock.mode" => clock.mode(),
        "clock.freeze" => clock.freeze(),
        "clock.thaw" => clock.thaw(),
        "clock.step" => clock.step(arg(0)),
        "clock.to" => clock.to(arg(0)),
        "clock.speed" => clock.speed(arg(0)),
        "clock.next" => clock.next(arg(0), arg(1)),
        "clock.until" => clock.until(arg(0), arg(1)),
        "faults.add" => faults.add(arg(0), arg(1)),
        "faults.list" => faults.list(),
        "faults.clear" => faults.clear(),
        "faults.remove" => faults.remove(arg(0)),
        "faults.preset" => faults.preset(arg(0)),
        "faults.firings" => faults.firings(arg(0)),
        "cheats.balance" => cheats.balance(arg(0)),
        "cheats.deposit" => cheats.deposit(arg(0)),
        "cheats.position" => cheats.position(arg(0)),
        "cheats.price" => cheats.price(arg(0)),
        "cheats.funding" => cheats.funding(arg(0)),
        "cheats.liquidate" => cheats.liquidate(arg(0)),
        "cheats.adl" => cheats.adl(arg(0)),
        "cheats.fees" => cheats.fees(arg(0)),
        "cheats.halt" => cheats.halt(arg(0)),
        "cheats.market" => cheats.market(arg(0)),
        _ => panic!("{call}: run_cases.rs knows no such method; a new one has a line in `attempt`"),
    };
    answer.map(Thing::Json)
}

/// Rust's own durations are what `sleep` takes.
fn duration(text: &str) -> Duration {
    let (figure, unit) = text.split_at(text.find(|one: char| !one.is_ascii_digit()).unwrap_or(text.len()));
    let ms = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => panic!("{text}: no duration"),
    };
    Duration::from_millis(figure.parse::<u64>().expect("a figure") * ms)
}

fn fields(error: &LabError) -> Json {
    let LabError { status, code, message, field, .. } = error;
    tidemark::json!({"status": (f64::from(*status)), "code": code, "message": message, "field": (field.clone())})
}

/// The value with each {"$": "name.field"} replaced by what is known.
fn meant(value: &Json, known: &Known) -> Json {
    if let Some(path) = value["$"].text() {
        let mut words = path.split('.');
        let Some(Thing::Json(found)) = words.next().and_then(|name| known.get(name)) else { panic!("{path} is not known") };
        return words.fold(found, |found, word| word.parse::<usize>().map_or_else(|_| &found[word], |at| &found[at])).clone();
    }
    match value {
        Json::Object(fields) => Json::Object(fields.iter().map(|(name, part)| (name.clone(), meant(part, known))).collect()),
        Json::List(list) => Json::List(list.iter().map(|part| meant(part, known)).collect()),
        other => other.clone(),
    }
}

/// Each field that is wanted is there; lists are as long.
fn check(given: &Json, wanted: &Json, at: &str) {
    match wanted {
        Json::Object(fields) => {
            for (name, part) in fields {
                assert!(given.fields().iter().any(|(field, _)| field == name), "{at} has no {name}: {given}");
                check(&given[name.as_str()], part, &format!("{at}.{name}"));
            }
        }
        Json::List(list) => {
            assert!(matches!(given, Json::List(_)) && given.list().len() == list.len(), "{at}: {given} is not as long as {wanted}");
            for (index, part) in list.iter().enumerate() {
                check(&given[index], part, &format!("{at}[{index}]"));
            }
        }
        _ => assert_eq!(given, wanted, "{at}"),
    }
}
