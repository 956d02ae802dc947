// Package tidemark is a venue in a test: its time in hand, back and forth at will. The standard library alone, Go 1.18 or newer.
//
//	func TestEightHoursLater(t *testing.T) {
//		venue := tidemark.New(t, tidemark.M{"deterministic": true})
//		moved, err := venue.Clock.Step("8h")
//		...
//	}
//
// Process: npx tidemark dev, or the command in TIDEMARK_BIN, started on first use, shared by all tests of a package, and ended with
// them; or the laboratory at TIDEMARK_URL, with the token in TIDEMARK_LAB_TOKEN.
//
// Options and fields are those of docs/testing.md, by their names there; ...M may be left away. What goes wrong is an *Error.
// A venue may be used by many goroutines at once.
package tidemark

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// M is an object of JSON: a body, options, a filter, a row.
type M = map[string]any

// Key speaks for an account.
type Key struct {
	UID        string `json:"uid"`
	APIKey     string `json:"apiKey"`
	Secret     string `json:"secret"`
	Passphrase string `json:"passphrase"`
}

// Sockets are the addresses of one version's sockets.
type Sockets struct {
	Public  string `json:"public"`
	Private string `json:"private"`
}

// Snapshot is good in any order and as often as it is used, until its venue stops.
type Snapshot struct {
	ID        string `json:"snapshot"`
	Name      string `json:"name"`
	Sequence  int64  `json:"sequence"`
	Now       int64  `json:"now"`
	StateHash string `json:"stateHash"`
	Bytes     int64  `json:"bytes"`
}

// WentBack is where a revert or a reset has led. Unknown counts commands that were under way: their senders were told 45001.
type WentBack struct {
	Sequence  int64   `json:"sequence"`
	Now       int64   `json:"now"`
	StateHash string  `json:"stateHash"`
	Unknown   int64   `json:"unknown"`
	TookMs    float64 `json:"tookMs"`
}

// Venue is one venue, from New, Start or Fork.
type Venue struct {
	ID      string             `json:"venue"`
	URL     string             `json:"url"`
	WS      map[string]Sockets `json:"ws"`
	Keys    map[string]Key     `json:"keys"`
	Version string             `json:"version"`
	Clock   Clock              `json:"-"`
	Faults  Faults             `json:"-"`
	Cheats  Cheats             `json:"-"`

	calls, home calls
	t           testing.TB
	stopping    sync.Once
}

// New is a venue of the test's own, which stops with it. It ends the test if there is none to be had.
func New(t testing.TB, options ...M) *Venue {
	t.Helper()
	venue, err := Start(options...)
	if err != nil {
		t.Fatal(err)
	}
	return venue.until(t)
}

// Start is New without a test: stop the venue yourself.
func Start(options ...M) (*Venue, error) {
	body := with(options)
	asked, isAsked := body["deterministic"]
	isDeterministic := asked == true
	isLimited := body["rateLimits"] != false
	delete(body, "deterministic")
	delete(body, "rateLimits")
	named := strings.TrimRight(os.Getenv("TIDEMARK_URL"), "/")
	if named == "" {
		if _, isTold := body["simulator"]; !isTold && body["from"] == nil {
			body["simulator"] = !isDeterministic
		}
		home, err := shared(isDeterministic, isLimited)
		if err != nil {
			return nil, err
		}
		return begin(home, home, "/venues", body)
	}
	home := calls{url: named, token: os.Getenv("TIDEMARK_LAB_TOKEN")}
	var shown struct{ Deterministic bool }
	if err := home.lab("GET", "", nil, &shown); err != nil {
		return nil, err
	}
	if isAsked && shown.Deterministic != isDeterministic {
		message := fmt.Sprintf("deterministic: the venue at %s (TIDEMARK_URL) was not started so", named)
		return nil, &Error{Code: "option-wrong", Field: "deterministic", Message: message}
	}
	return begin(home, home, "/venues", body)
}

func begin(asked, home calls, path string, body M) (*Venue, error) {
	venue := &Venue{home: home}
	if err := asked.lab("POST", path, body, venue); err != nil {
		return nil, err
	}
	venue.calls = calls{url: venue.URL, token: home.token}
	venue.Clock, venue.Faults, venue.Cheats = Clock{venue.calls}, Faults{venue.calls}, Cheats{venue.calls}
	return venue, nil
}

func (v *Venue) until(t testing.TB) *Venue {
	v.t = t
	t.Cleanup(func() {
		if err := v.Stop(); err != nil {
			t.Error(err)
		}
	})
	return v
}

// Call is any call below /_lab, an operator's (/operator/prices) too; it answers its data.
func (v *Venue) Call(method, path string, body ...M) (any, error) {
	return get[any](v.calls, method, path, first(body))
}

// Request is a call of the interface, signed with the key of a role; it answers its data, or an *Error with its code.
func (v *Venue) Request(role, method, target string, body ...M) (any, error) {
	key, isThere := v.Keys[role]
	if !isThere {
		return nil, fmt.Errorf("role: there is no %s", role)
	}
	return v.calls.signed(key, method, target, first(body))
}

// Snapshot has a name if one is given.
func (v *Venue) Snapshot(name ...string) (Snapshot, error) {
	body := M{}
	if len(name) > 0 {
		body["name"] = name[0]
	}
	return get[Snapshot](v.calls, "POST", "/snapshots", body)
}

// Revert goes back to a snapshot of this venue, by its id or its name.
func (v *Venue) Revert(snapshot string, options ...M) (WentBack, error) {
	return get[WentBack](v.calls, "POST", "/revert", with(options, "snapshot", snapshot))
}

// Reset goes back to what the venue began with.
func (v *Venue) Reset(options ...M) (WentBack, error) {
	return get[WentBack](v.calls, "POST", "/reset", with(options))
}

// Fork is a further venue that is what this one is, or was: at a snapshot, or at a sequence or time. It stops with the test.
func (v *Venue) Fork(options ...M) (*Venue, error) {
	fork, err := begin(v.calls, v.home, "/fork", with(options))
	if err == nil && v.t != nil {
		fork.until(v.t)
	}
	return fork, err
}

// Hold lets commands that match wait once they are admitted.
func (v *Venue) Hold(on ...M) (any, error) {
	body := M{}
	if len(on) > 0 {
		body["on"] = on[0]
	}
	return v.Call("POST", "/hold", body)
}

// EndHold: nothing more is held, and what waits goes on waiting.
func (v *Venue) EndHold() (any, error) { return v.Call("DELETE", "/hold") }

// Pending are the commands that wait; M{"atLeast": 2} is answered when so many do.
func (v *Venue) Pending(options ...M) ([]M, error) {
	return get[[]M](v.calls, "GET", "/pending"+query(with(options)), nil)
}

// Release takes a list of ids, or "arrival", "reverse" or "shuffle", which takes a seed.
func (v *Venue) Release(order any, options ...M) (any, error) {
	return v.Call("POST", "/release", with(options, "order", order))
}

// Drop throws a waiting command away, and answers its client so.
func (v *Venue) Drop(id, answer any) (any, error) {
	return v.Call("POST", "/drop", M{"id": id, "answer": answer})
}

// Latency sets all rules of how long each leg takes, in a list; an empty one takes them away.
func (v *Venue) Latency(rules any) (any, error) {
	if whole, is := rules.(M); is {
		return v.Call("POST", "/latency", whole)
	}
	return v.Call("POST", "/latency", M{"rules": rules})
}

// OnTheirWay is what takes its time; M{"atLeast": 2} is answered when so many commands do.
func (v *Venue) OnTheirWay(options ...M) (any, error) {
	return v.Call("GET", "/latency"+query(with(options)))
}

// Queue says what stands before and behind a resting order.
func (v *Venue) Queue(orderID string) (any, error) {
	return v.Call("GET", "/queue"+query(M{"orderId": orderID}))
}

// Script has makers and steps, as the text of a file or as fields.
func (v *Venue) Script(script any) (any, error) {
	if fields, is := script.(M); is {
		return v.Call("POST", "/script", fields)
	}
	return v.Call("POST", "/script", M{"text": script})
}

// Book replaces the book of a symbol: bids and asks, each a list of prices with quantities.
func (v *Venue) Book(symbol string, sides M) (any, error) {
	return v.Call("POST", "/book", with([]M{sides}, "symbol", symbol))
}

// Orders are open and ended ones as the interface gives them; M{"open": true} for some, other fields are compared.
func (v *Venue) Orders(role string, filter ...M) ([]M, error) {
	return v.read("orders", role, with(filter))
}

// Fills are rows as the interface gives them.
func (v *Venue) Fills(role string, filter ...M) ([]M, error) {
	return v.read("fills", role, with(filter))
}

// Positions are open ones as the interface gives them.
func (v *Venue) Positions(role string, filter ...M) ([]M, error) {
	return v.read("positions", role, with(filter))
}

// Wait returns when a condition of Clock.Until holds, whoever brings it about.
func (v *Venue) Wait(condition M, options ...M) (any, error) {
	wanted, err := json.Marshal(condition)
	if err != nil {
		return nil, err
	}
	return v.Call("GET", "/wait"+query(with(options, "for", string(wanted))))
}

// Journal has commands and what came of them; uid, after, limit.
func (v *Venue) Journal(filter ...M) ([]M, error) {
	return get[[]M](v.calls, "GET", "/journal"+query(with(filter)), nil)
}

// Sleep lets so much of the venue's time pass: a clock that stands still is moved, and a running one is waited for.
func (v *Venue) Sleep(duration time.Duration) error {
	mode, err := v.Clock.Mode()
	if err == nil && mode.Speed == 0 {
		_, err = v.Clock.Step(duration.Milliseconds())
	} else if err == nil {
		time.Sleep(time.Duration(float64(duration) / mode.Speed))
	}
	return err
}

// Stop ends the venue. Once more does nothing.
func (v *Venue) Stop() (err error) {
	v.stopping.Do(func() { err = v.home.lab("DELETE", "/venues/"+v.ID, nil, nil) })
	return err
}

func first(body []M) any {
	if len(body) == 0 {
		return nil
	}
	return body[0]
}

// with has the fields of options, and one more.
func with(options []M, more ...any) M {
	all := M{}
	for _, some := range options {
		for name, value := range some {
			all[name] = value
		}
	}
	if len(more) == 2 {
		all[more[0].(string)] = more[1]
	}
	return all
}
