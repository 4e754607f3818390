package fault

import (
	"fmt"
	"math/rand/v2"
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
	// Throttle does nothing and answers CodeThrottled, with Delay to wait.
	Throttle
	// Wide reads all columns where some were asked for, and gives scans row by
	// row: more cells and smaller batches than a caller may expect, and no
	// more than a store may give.
	Wide
	// Stop stops the store: the call, and all that follow, wait for Store.Resume.
	Stop
	// Hold keeps the call alone back for Rule.Delay, whatever becomes of its context, and
	// makes it then.
	Hold

	actions = Stop // how many there are that end by themselves
)

var actionNames = [...]string{"fail before", "fail after", "cut", "partial", "delay", "cancel race", "throttle", "wide", "stop", "hold"}

// String names the action.
func (a Action) String() string { return actionNames[a] }

// Actions lists those that end by themselves, at once: all but Stop and Hold.
func Actions() []Action {
	all := make([]Action, actions)
	for i := range all {
		all[i] = Action(i)
	}
	return all
}

// Rule says which calls an Action meets.
type Rule struct {
	Op    string // of storage.Op…; "" is any
	Table string // "" is any
	// If, where set, is asked of a call that fits otherwise; key is CheckAndMutate's, and nil of others.
	If func(key []byte) bool
	// Nth is the call that it meets first, counted among those that match from
	// the time the rule is added; 0 and 1 are the next one.
	Nth int
	// Times is how many calls from Nth on it meets; 0 is one, negative all.
	Times int
	// Every, where above 1, lets it meet only each Every-th of them.
	Every int

	Do    Action
	Rows  int
	Delay time.Duration
	// Err replaces the error that Do answers, where it answers one.
	Err *storage.Error

	seen int
}

// meets counts a matching call and says whether the rule meets it.
func (r *Rule) meets(op, table string, key []byte) bool {
	if r.Op != "" && r.Op != op || r.Table != "" && r.Table != table || r.If != nil && !r.If(key) {
		return false
	}
	r.seen++
	n, every := r.seen-max(r.Nth, 1), max(r.Every, 1)
	return n >= 0 && n%every == 0 && (r.Times < 0 || n/every < max(r.Times, 1))
}

func (r *Rule) fail(code storage.Code, op, table string) *storage.Error {
	if r.Err != nil {
		e := *r.Err
		return &e
	}
	return storage.Errorf(code, op, table, "injected fault")
}

func (r *Rule) throttle(op, table string) *storage.Error {
	e := r.fail(storage.CodeThrottled, op, table)
	e.RetryAfter = r.Delay
	return e
}

// String tells the rule in a word, for logs of tests.
func (r Rule) String() string {
	return fmt.Sprintf("%s %s of calls %q %q (nth %d, every %d, times %d)", r.Do, r.Delay, r.Op, r.Table, r.Nth, r.Every, r.Times)
}

// Random makes up to n rules that fit any store, by r alone. They meet calls
// among the first span of their kind.
func Random(r *rand.Rand, n, span int) []Rule {
	ops := [...]string{"", storage.OpScan, storage.OpMultiGet, storage.OpMutate, storage.OpCheckAndMutate, storage.OpCommit, storage.OpSnapshot}
	rules := make([]Rule, 1+r.IntN(n))
	for i := range rules {
		rules[i] = Rule{
			Op:    ops[r.IntN(len(ops))],
			Nth:   1 + r.IntN(span),
			Times: 1 + r.IntN(4),
			Every: 1 + r.IntN(5),
			Do:    Action(r.IntN(int(actions))),
			Rows:  r.IntN(4),
			Delay: time.Duration(r.IntN(200)) * time.Microsecond,
		}
	}
	return rules
}
