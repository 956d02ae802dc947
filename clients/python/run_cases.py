"""Runs the shared cases through tidemark.py: a line for each, and exit code 1 if one fails.

They are those of clients/cases.json, or of the file that is named. Names of the cases are those of TypeScript; here they are in
snake_case, and options are keywords.
"""

import json
import pathlib
import re
import sys
import traceback

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here))

import tidemark  # noqa: E402


def snake(name):
    return re.sub(r"([A-Z])", lambda found: "_" + found[1].lower(), name)


def keywords(options):
    return {"from_" if name == "from" else snake(name): value for name, value in options.items()}


def meant(value, known):
    """The value with each {"$": "name.field"} replaced by what is known."""
    if isinstance(value, dict) and set(value) == {"$"}:
        name, *path = value["$"].split(".")
        found = known[name]
        for field in path:
            found = found[int(field)] if isinstance(found, list) else found[field]
        return found
    if isinstance(value, dict):
        return {name: meant(part, known) for name, part in value.items()}
    return [meant(part, known) for part in value] if isinstance(value, list) else value


def check(given, wanted, at):
    """Each field that is wanted is there; lists are as long."""
    if isinstance(wanted, dict):
        for name, part in wanted.items():
            assert isinstance(given, dict) and name in given, "%s has no %s: %r" % (at, name, given)
            check(given[name], part, "%s.%s" % (at, name))
    elif isinstance(wanted, list):
        assert isinstance(given, list) and len(given) == len(wanted), "%s: %r is not as long as %r" % (at, given, wanted)
        for index, part in enumerate(wanted):
            check(given[index], part, "%s[%d]" % (at, index))
    else:
        assert given == wanted, "%s: %r, not %r" % (at, given, wanted)


def attempt(target, step, known):
    *path, last = [snake(word) for word in step["call"].split(".")]
    for word in path:
        target = getattr(target, word)
    return getattr(target, last)(*meant(step.get("with", []), known), **keywords(meant(step.get("options", {}), known)))


def take(step, known):
    target = known[step.get("of", "venue")]
    fails = step.get("fails")
    try:
        given = attempt(target, step, known)
    except tidemark.LabError as error:
        assert fails is not None, error
        return check({name: getattr(error, name) for name in fails}, fails, step["call"])
    assert fails is None, "%s: nothing was refused" % step["call"]
    if "gives" in step:
        check(given, meant(step["gives"], known), step["call"])
    if "count" in step:
        assert len(given) == step["count"], "%s: %d of %r" % (step["call"], len(given), given)
    if "as" in step:
        known[step["as"]] = given


def run(case):
    known = {}
    try:
        known["venue"] = tidemark.start_venue(**keywords(case["options"]))
        for step in case["steps"]:
            take(step, known)
    finally:
        for thing in known.values():
            if isinstance(thing, tidemark.Venue):
                thing.stop()


failed = 0
path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here.parent / "cases.json"
for case in json.loads(path.read_text())["cases"]:
    try:
        run(case)
        print("ok", case["name"])
    except Exception:
        failed += 1
        print("failed", case["name"])
        traceback.print_exc()
sys.exit(1 if failed else 0)
