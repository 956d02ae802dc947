package tidemark

// Clock is a venue's time. Durations: "250ms", "8h", "90d" or milliseconds; times: Unix milliseconds or ISO 8601 with a zone.
type Clock struct{ calls calls }

// Fired is what fell due.
type Fired struct {
	Kind   string `json:"kind"`
	At     int64  `json:"at"`
	Symbol string `json:"symbol,omitempty"`
}

// Moved is what a call of the clock came to.
type Moved struct {
	Mode
	Now     int64   `json:"now"`
	Fired   []Fired `json:"fired"`
	Reached bool    `json:"reached"`
}

// Mode is how a clock goes: speed 0 stands still, and 1 is the system's.
type Mode struct {
	Mode  string  `json:"mode"`
	Speed float64 `json:"speed"`
}

type standing struct {
	Now   int64 `json:"now"`
	Clock Mode  `json:"clock"`
}

// Now is the venue's time, Unix milliseconds.
func (c Clock) Now() (int64, error) {
	shown, err := get[standing](c.calls, "GET", "", nil)
	return shown.Now, err
}

// Mode says how it goes.
func (c Clock) Mode() (Mode, error) {
	shown, err := get[standing](c.calls, "GET", "", nil)
	return shown.Clock, err
}

// Freeze lets it stand still.
func (c Clock) Freeze() (Moved, error) { return c.move(M{"freeze": true}) }

// Thaw lets it go on as the system's clock does, from where it stands.
func (c Clock) Thaw() (Moved, error) { return c.move(M{"thaw": true}) }

// Step lets so much time pass; 0 runs what is due now.
func (c Clock) Step(duration any) (Moved, error) { return c.move(M{"step": duration}) }

// To lets time pass up to a moment.
func (c Clock) To(time any) (Moved, error) { return c.move(M{"to": time}) }

// Speed is milliseconds of the venue in one real millisecond.
func (c Clock) Speed(factor float64) (Moved, error) { return c.move(M{"speed": factor}) }

// Next goes to the next funding, interest, candle:1m, delivery or timer.
func (c Clock) Next(what string, symbol ...string) (Moved, error) {
	body := M{"next": what}
	if len(symbol) > 0 {
		body["symbol"] = symbol[0]
	}
	return c.move(body)
}

// Until goes to the millisecond at which a condition holds, at most M{"max": "7d"} of the venue's time.
func (c Clock) Until(condition M, options ...M) (Moved, error) {
	return c.move(with(options, "until", condition))
}

func (c Clock) move(body M) (Moved, error) {
	return get[Moved](c.calls, "POST", "/clock", body)
}

// Faults go wrong on purpose. Faults and rules are those of docs/lab.md.
type Faults struct{ calls calls }

// Add takes a rule of docs/lab.md; what is of its when may stand beside the rest: M{"nth": 1}.
func (f Faults) Add(fault string, rule ...M) (M, error) {
	body, when := with(rule, "fault", fault), M{}
	for _, name := range []string{"nth", "every", "first", "between", "after", "chance"} {
		if value, isTold := body[name]; isTold {
			when[name] = value
			delete(body, name)
		}
	}
	if len(when) > 0 {
		body["when"] = when
	}
	return get[M](f.calls, "POST", "/faults", body)
}

// List has the rules.
func (f Faults) List() ([]M, error) { return get[[]M](f.calls, "GET", "/faults", nil) }

// Remove takes one rule away.
func (f Faults) Remove(rule string) (any, error) {
	return get[any](f.calls, "DELETE", "/faults/"+rule, nil)
}

// Clear takes all rules away.
func (f Faults) Clear() (any, error) { return get[any](f.calls, "DELETE", "/faults", nil) }

// Preset has the rules of flaky, hell or bitget-bad-day.
func (f Faults) Preset(name string) (any, error) {
	return get[any](f.calls, "POST", "/faults", M{"preset": name})
}

// Firings are what came of them, after a firing if one is given.
func (f Faults) Firings(after ...any) ([]M, error) {
	fields := M{}
	if len(after) > 0 {
		fields["after"] = after[0]
	}
	return get[[]M](f.calls, "GET", "/firings"+query(fields), nil)
}

// Cheats do what no venue lets anybody do, by ordinary commands, so that the books add up.
type Cheats struct{ calls calls }

// Balance sets what a wallet has of a coin.
func (c Cheats) Balance(fields M) (M, error) { return c.take("balance", fields) }

// Deposit sends money over a network.
func (c Cheats) Deposit(fields M) (M, error) { return c.take("deposit", fields) }

// Position opens, changes or closes one.
func (c Cheats) Position(fields M) (M, error) { return c.take("position", fields) }

// Price sets an index.
func (c Cheats) Price(fields M) (M, error) { return c.take("price", fields) }

// Funding settles now at a rate.
func (c Cheats) Funding(fields M) (M, error) { return c.take("funding", fields) }

// Liquidate moves the index until an account is liquidated.
func (c Cheats) Liquidate(fields M) (M, error) { return c.take("liquidate", fields) }

// ADL deleverages an account.
func (c Cheats) ADL(fields M) (M, error) { return c.take("adl", fields) }

// Fees sets both rates of an instrument.
func (c Cheats) Fees(fields M) (M, error) { return c.take("fees", fields) }

// Halt sets the status of an instrument.
func (c Cheats) Halt(fields M) (M, error) { return c.take("halt", fields) }

// Market plays a market fault.
func (c Cheats) Market(fields M) (M, error) { return c.take("market", fields) }

func (c Cheats) take(name string, fields M) (M, error) {
	return get[M](c.calls, "POST", "/cheats", M{name: fields})
}
