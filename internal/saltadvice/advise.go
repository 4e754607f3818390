package saltadvice

import (
	"time"

	"github.com/saltsql/saltsql/catalog"
)

// Advice is what another layout of a table, or another way to use it, would bring.
type Advice struct {
	Rule     string
	Number   int // of the rule, the same in all versions
	Evidence string
	DDL      string  // "" where no statement helps
	Gain     float64 // how many times more of the nodes, or fewer calls; 0 is not told
	Copies   bool    // the DDL copies all rows
	Since    time.Time
}

// A rule looks at evidence and says what it finds; nil is nothing.
type rule struct {
	name   string
	number int
	salt   bool // of those that change the salt or the key, one alone is told
	find   func(e *Evidence) *Advice
}

// rules are in the order in which they are asked: what a rule answers, those behind it may take for
// granted.
var rules = []rule{
	{"one hot key", 3, false, oneHotKey},
	{"growing", 1, true, growing},
	{"few values", 2, true, fewValues},
	{"bad hash", 9, true, badHash},
	{"needless", 6, true, needless},
	{"prunable", 5, true, prunable},
	{"N too large", 4, true, tooMany},
	{"newest first", 7, true, newestFirst},
}

// wide is the rule that asks for no load.
var wide = rule{"wide rows", 8, false, wideRows}

// Advise gives what the evidence calls for: nothing below 15 minutes of it, for a load of less than a
// fifth of a node, or where another layout would bring less than a fifth more. Rows that are too wide
// are told of whatever the load is. The error is Load.Canceled's.
func (e *Evidence) Advise() ([]Advice, error) {
	var list []Advice
	if !e.prepare() {
		return nil, nil
	}
	since := e.Samples[e.minutes[0][0]].At
	add := func(r *rule, a *Advice) {
		a.Rule, a.Number, a.Since = r.name, r.number, since
		list = append(list, *a)
	}
	if a := wide.find(e); a != nil {
		add(&wide, a)
	}
	if e.busy < leastBusy || e.Enough() != nil {
		return list, nil
	}
	now, err := e.Under(e.Table)
	if err != nil {
		return nil, err
	}
	e.now = &now
	changed := false
	for i := range rules {
		r := &rules[i]
		if r.salt && (changed || !e.Table.SaltChanges() || e.Table.HiddenKey() != nil) {
			continue
		}
		if a := r.find(e); a != nil {
			add(r, a)
			changed = changed || r.salt
		}
		if e.Canceled != nil && e.Canceled() != nil {
			return nil, e.Canceled()
		}
	}
	return list, nil
}

// resalt is the advice to give the table another salt: new rows alone, where it is known which are new.
func (e *Evidence) resalt(s catalog.Salt, gain float64, evidence string) *Advice {
	a := &Advice{Evidence: evidence, Gain: gain, Copies: true, DDL: s.DDL(e.Table, "")}
	if col := e.grows(); col != "" && s.Buckets > 0 {
		a.DDL, a.Copies = s.DDL(e.Table, col), false
	}
	return a
}

// forNodes is the number of buckets for the nodes: the next power of two.
func (e *Evidence) forNodes() int {
	n := 2
	for n < e.Nodes {
		n *= 2
	}
	return n
}
