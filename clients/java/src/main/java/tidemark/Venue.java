package tidemark;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A venue in a test: its time in hand, back and forth at will. The standard library alone, Java 17 or newer.
 *
 * <pre>
 * try (Venue venue = Venue.start(Map.of("deterministic", true))) {
 *   venue.clock().step("8h");
 * }
 * </pre>
 *
 * Process: {@code npx tidemark dev}, or the command in TIDEMARK_BIN, started on first use, shared by all tests of this virtual machine,
 * and ended with it; or the laboratory at TIDEMARK_URL, with the token in TIDEMARK_LAB_TOKEN. Options and fields are those of
 * docs/testing.md, by their names there; {@code Map...} may be left away. What goes wrong is a LabError. A venue is of all threads.
 */
public final class Venue implements AutoCloseable {
  private final Map<String, Object> shown;
  private final Calls home;
  private final Calls calls;
  private boolean isStopped;

  private Venue(Map<String, Object> shown, Calls home) {
    this.shown = shown;
    this.home = home;
    this.calls = new Calls((String) shown.get("url"), home.token());
  }

  /** A venue of one's own. */
  public static Venue start(Map<?, ?>... options) {
    Map<String, Object> body = with(options);
    Object asked = body.remove("deterministic");
    boolean isDeterministic = Boolean.TRUE.equals(asked);
    boolean isLimited = !Boolean.FALSE.equals(body.remove("rateLimits"));
    String named = System.getenv().getOrDefault("TIDEMARK_URL", "").replaceFirst("/+$", "");
    Calls home = named.isEmpty() ? Laboratory.shared(isDeterministic, isLimited) : new Calls(named, System.getenv("TIDEMARK_LAB_TOKEN"));
    if (!named.isEmpty() && asked != null && !asked.equals(home.<Map<?, ?>>lab("GET", "", null).get("deterministic"))) {
      String message = "deterministic: the venue at " + named + " (TIDEMARK_URL) was not started so";
      throw new LabError(0, Map.of("code", "option-wrong", "field", "deterministic", "message", message));
    }
    if (named.isEmpty() && !body.containsKey("from")) body.putIfAbsent("simulator", !isDeterministic);
    return new Venue(home.lab("POST", "/venues", body), home);
  }

  public String id() {
    return (String) shown.get("venue");
  }

  public String url() {
    return calls.url();
  }

  /** Addresses of sockets: {@code v2} and {@code v3}, each {@code public} and {@code private}. */
  public Map<?, ?> ws() {
    return (Map<?, ?>) shown.get("ws");
  }

  /** {@code uid}, {@code apiKey}, {@code secret} and {@code passphrase} of a role. */
  public Map<?, ?> key(String role) {
    Map<?, ?> keys = (Map<?, ?>) shown.get("keys");
    if (!keys.containsKey(role)) throw new IllegalArgumentException("role: there is no " + role + ", only " + keys.keySet());
    return (Map<?, ?>) keys.get(role);
  }

  /** Any call below /_lab, an operator's (/operator/prices) too; answers its data. */
  public <T> T call(String method, String path, Map<?, ?>... body) {
    return calls.lab(method, path, body.length == 0 ? null : with(body));
  }

  /** A call of the interface, signed with the key of a role; answers its data, or LabError with its code. */
  public <T> T request(String role, String method, String target, Map<?, ?>... body) {
    return calls.signed(key(role), method, target, body.length == 0 ? "" : Json.write(with(body)));
  }

  public Clock clock() {
    return new Clock();
  }

  public Faults faults() {
    return new Faults();
  }

  public Cheats cheats() {
    return new Cheats();
  }

  public Map<String, Object> snapshot(String... name) {
    return call("POST", "/snapshots", name.length == 0 ? Map.of() : Map.of("name", name[0]));
  }

  /** To a snapshot of this venue, by itself, its id or its name. */
  public Map<String, Object> revert(Object snapshot, Map<?, ?>... options) {
    return call("POST", "/revert", with("snapshot", id(snapshot), options));
  }

  public Map<String, Object> reset(Map<?, ?>... options) {
    return call("POST", "/reset", with(options));
  }

  /** What this venue is, or was: at a snapshot, or {@code at} a {@code sequence} or {@code time}. */
  public Venue fork(Map<?, ?>... options) {
    Map<String, Object> body = with(options);
    body.computeIfPresent("snapshot", (name, snapshot) -> id(snapshot));
    return new Venue(call("POST", "/fork", body), home);
  }

  /** Commands that match wait once they are admitted. */
  public Object hold(Map<?, ?>... on) {
    return call("POST", "/hold", on.length == 0 ? Map.of() : Map.of("on", on[0]));
  }

  /** Nothing more is held; what waits goes on waiting. */
  public Object endHold() {
    return call("DELETE", "/hold");
  }

  /** Those that wait; {@code atLeast} of them, and {@code timeout}. */
  public List<Map<String, Object>> pending(Map<?, ?>... options) {
    return call("GET", "/pending" + Calls.query(with(options)));
  }

  /** By a list of ids, or "arrival", "reverse" or "shuffle", which takes a {@code seed}. */
  public Map<String, Object> release(Object order, Map<?, ?>... options) {
    return call("POST", "/release", with("order", order, options));
  }

  public Object drop(Object id, Object answer) {
    return call("POST", "/drop", with("id", id, Map.of("answer", answer)));
  }

  /** All rules; an empty list takes them away. */
  public Object latency(Object rules) {
    return call("POST", "/latency", rules instanceof Map<?, ?> whole ? whole : Map.of("rules", rules));
  }

  /** What is on its way; {@code atLeast} so many commands, and {@code timeout}. */
  public Object onTheirWay(Map<?, ?>... options) {
    return call("GET", "/latency" + Calls.query(with(options)));
  }

  /** What stands before and behind a resting order. */
  public Map<String, Object> queue(String orderId) {
    return call("GET", "/queue" + Calls.query(Map.of("orderId", orderId)));
  }

  /** Makers and steps, as the text of a file or as fields. */
  public Object script(Object script) {
    return call("POST", "/script", script instanceof Map<?, ?> fields ? fields : Map.of("text", script));
  }

  /** The whole book of a symbol: bids and asks, each a list of prices with quantities. */
  public Object book(String symbol, Map<?, ?> sides) {
    return call("POST", "/book", with("symbol", symbol, sides));
  }

  /** Open and ended orders as the interface gives them; {@code open} for some of them, other fields are compared. */
  public List<Map<String, Object>> orders(String role, Map<?, ?>... filter) {
    return Accounts.read(this, "orders", role, with(filter));
  }

  public List<Map<String, Object>> fills(String role, Map<?, ?>... filter) {
    return Accounts.read(this, "fills", role, with(filter));
  }

  public List<Map<String, Object>> positions(String role, Map<?, ?>... filter) {
    return Accounts.read(this, "positions", role, with(filter));
  }

  /** Until a condition of clock().until holds, whoever brings it about. */
  public Object wait(Map<?, ?> condition, Map<?, ?>... options) {
    return call("GET", "/wait" + Calls.query(with("for", Json.write(condition), options)));
  }

  /** Commands and what came of them; {@code uid}, {@code after}, {@code limit}. */
  public List<Map<String, Object>> journal(Map<?, ?>... filter) {
    return call("GET", "/journal" + Calls.query(with(filter)));
  }

  /** So much of the venue's time: a clock that stands still is moved, and a running one is waited for. */
  public void sleep(String duration) {
    double speed = ((Number) clock().mode().get("speed")).doubleValue();
    if (speed == 0) {
      clock().step(duration);
      return;
    }
    var found = Pattern.compile("([0-9]{1,12})(ms|s|m|h|d)?").matcher(duration);
    if (!found.matches()) throw new IllegalArgumentException("duration: 250ms, 8h, 90d or whole milliseconds are wanted");
    Map<String, Integer> unitMs = Map.of("ms", 1, "s", 1_000, "m", 60_000, "h", 3_600_000, "d", 86_400_000);
    Laboratory.pause((long) Math.ceil(Long.parseLong(found.group(1)) * unitMs.get(found.group(2) == null ? "ms" : found.group(2)) / speed));
  }

  /** The venue is gone. Once more does nothing. */
  public synchronized void stop() {
    if (!isStopped) home.lab("DELETE", "/venues/" + id(), null);
    isStopped = true;
  }

  @Override
  public void close() {
    stop();
  }

  /** Time. Durations: "250ms", "8h", "90d" or milliseconds; times: Unix milliseconds or ISO 8601 with a zone. */
  public final class Clock {
    public long now() {
      return ((Number) Venue.this.<Map<?, ?>>call("GET", "").get("now")).longValue();
    }

    /** {@code mode} and {@code speed}. */
    public Map<?, ?> mode() {
      return (Map<?, ?>) Venue.this.<Map<?, ?>>call("GET", "").get("clock");
    }

    public Map<String, Object> freeze() {
      return call("POST", "/clock", Map.of("freeze", true));
    }

    public Map<String, Object> thaw() {
      return call("POST", "/clock", Map.of("thaw", true));
    }

    public Map<String, Object> step(Object duration) {
      return call("POST", "/clock", Map.of("step", duration));
    }

    public Map<String, Object> to(Object time) {
      return call("POST", "/clock", Map.of("to", time));
    }

    public Map<String, Object> speed(Number factor) {
      return call("POST", "/clock", Map.of("speed", factor));
    }

    public Map<String, Object> next(String what, String... symbol) {
      return call("POST", "/clock", with("next", what, symbol.length == 0 ? Map.of() : Map.of("symbol", symbol[0])));
    }

    public Map<String, Object> until(Map<?, ?> condition, Map<?, ?>... options) {
      return call("POST", "/clock", with("until", condition, options));
    }
  }

  /** What goes wrong on purpose. Faults and rules are those of docs/lab.md. */
  public final class Faults {
    /** A rule of docs/lab.md; what is of its {@code when} may stand beside the rest, such as {@code nth}. */
    public Map<String, Object> add(String fault, Map<?, ?>... rule) {
      Map<String, Object> body = with("fault", fault, rule);
      Map<String, Object> when = new LinkedHashMap<>(body);
      when.keySet().retainAll(List.of("nth", "every", "first", "between", "after", "chance"));
      body.keySet().removeAll(when.keySet());
      if (!when.isEmpty()) body.put("when", when);
      return call("POST", "/faults", body);
    }

    public List<Map<String, Object>> list() {
      return call("GET", "/faults");
    }

    public Object remove(String rule) {
      return call("DELETE", "/faults/" + rule);
    }

    public Object clear() {
      return call("DELETE", "/faults");
    }

    /** The rules of "flaky", "hell" or "bitget-bad-day". */
    public Object preset(String name) {
      return call("POST", "/faults", Map.of("preset", name));
    }

    public List<Map<String, Object>> firings(Object... after) {
      return call("GET", "/firings" + Calls.query(after.length == 0 ? Map.of() : Map.of("after", after[0])));
    }
  }

  /** By ordinary commands, so that the books add up. */
  public final class Cheats {
    public Map<String, Object> balance(Map<?, ?> fields) {
      return take("balance", fields);
    }

    public Map<String, Object> deposit(Map<?, ?> fields) {
      return take("deposit", fields);
    }

    public Map<String, Object> position(Map<?, ?> fields) {
      return take("position", fields);
    }

    public Map<String, Object> price(Map<?, ?> fields) {
      return take("price", fields);
    }

    public Map<String, Object> funding(Map<?, ?> fields) {
      return take("funding", fields);
    }

    public Map<String, Object> liquidate(Map<?, ?> fields) {
      return take("liquidate", fields);
    }

    public Map<String, Object> adl(Map<?, ?> fields) {
      return take("adl", fields);
    }

    public Map<String, Object> fees(Map<?, ?> fields) {
      return take("fees", fields);
    }

    public Map<String, Object> halt(Map<?, ?> fields) {
      return take("halt", fields);
    }

    public Map<String, Object> market(Map<?, ?> fields) {
      return take("market", fields);
    }

    private Map<String, Object> take(String name, Map<?, ?> fields) {
      return call("POST", "/cheats", Map.of(name, fields));
    }
  }

  /** All fields of what was given, to be added to. */
  static Map<String, Object> with(Map<?, ?>... fields) {
    Map<String, Object> all = new LinkedHashMap<>();
    for (Map<?, ?> some : fields) some.forEach((name, value) -> all.put((String) name, value));
    return all;
  }

  static Map<String, Object> with(String name, Object value, Map<?, ?>... fields) {
    Map<String, Object> all = with(fields);
    all.put(name, value);
    return all;
  }

  /** Of a snapshot, by itself or named. */
  private static Object id(Object snapshot) {
    return snapshot instanceof Map<?, ?> shown ? shown.get("snapshot") : snapshot;
  }
}
