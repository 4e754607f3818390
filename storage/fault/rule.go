package fault

import (
	"time"

	"github.com/saltsql/saltsql/storage"
)

// Action is what happens to a call that a rule meets.
type Action uint8

const (
	// FailBefore does nothing and answers CodeUnavailable.
	FailBefore Action = iota
	// FailAfter does the call, and loses its answer: a write answers
	// CodeAmbiguous, a read CodeUnavailable.
	FailAfter
	// Cut ends a scan with CodeUnavailable after Rows rows.
	Cut
	// Partial writes the first Rows rows of a Mutate call and answers
	// CodeUnavailable for the rest.
	Partial
	// Delay waits for Rule.Delay before the call, and before each Next of a
	// scan; the context ends it.
	Delay
	// CancelRace cancels the context while the call is under way: it may
	// succeed or not. A scan's context is canceled after Rows rows.
	CancelRace
)

// Rule says which calls an Action meets.
type Rule struct {
	Op    string // of storage.Op…; "" is any
	Table string // "" is any
	// Nth is the call that it meets first, counted among those that match from
	// the time the rule is added; 0 and 1 are the next one.
	Nth int
	// Times is how many calls from Nth on it meets; 0 is one, negative all.
	Times int

	Do    Action
	Rows  int
	Delay time.Duration
	// Err replaces the error that Do answers, where it answers one.
	Err *storage.Error

	seen int
}

// meets counts a matching call and says whether the rule meets it.
func (r *Rule) meets(op, table string) bool {
	if r.Op != "" && r.Op != op || r.Table != "" && r.Table != table {
		return false
	}
	r.seen++
	first := max(r.Nth, 1)
	return r.seen >= first && (r.Times < 0 || r.seen < first+max(r.Times, 1))
}

func (r *Rule) fail(code storage.Code, op, table string) *storage.Error {
	if r.Err != nil {
		e := *r.Err
		return &e
	}
	return storage.Errorf(code, op, table, "injected fault")
}
