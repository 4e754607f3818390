package regex

import "slices"

// maxStates bounds an expression's automaton: beyond it is 2201B.
//
//saltsql:limit types: states of a regular expression (2201B)
const maxStates = 50000

type kind uint8

const (
	kindMatch  kind = iota
	kindSet         // consume a character of the set, go to out
	kindSplit       // go to out and to alt
	kindAssert      // go to out where the assertion holds
)

type state struct {
	kind   kind
	assert assertion
	out    int32
	alt    int32
	set    int32
}

// nfa is one part's automaton. State 0 matches.
type nfa struct {
	states  []state
	start   int32
	asserts bool
}

// automata holds an expression's sets and the automata of the parts that are
// asked about: the whole, and what dissection divides.
type automata struct {
	sets  []set
	bits  [][]uint64 // by set: its classes
	alpha *alphabet
	parts []*nfa
	total int
}

// build gives n and the parts below it that dissection needs automata.
func build(root *node) (*automata, error) {
	a := &automata{}
	if !a.add(root) {
		return nil, invalid(errTooBig)
	}
	asserts := false
	for _, p := range a.parts {
		asserts = asserts || p.asserts
	}
	a.alpha, a.bits = newAlphabet(a.sets, asserts)
	return a, nil
}

func (a *automata) add(n *node) bool {
	n.id = len(a.parts)
	f := &nfa{states: []state{{kind: kindMatch}}}
	a.parts = append(a.parts, f)
	c := compiler{a, f}
	start, ok := c.compile(n, 0)
	if !ok {
		return false
	}
	f.start = start
	if !n.divides() {
		return true
	}
	for _, s := range n.subs {
		if n.op == opCapture && !s.divides() {
			continue // spans what its capture spans
		}
		if !a.add(s) {
			return false
		}
	}
	return true
}

func (a *automata) setID(s set) int32 {
	for i, have := range a.sets {
		if slices.Equal(have, s) {
			return int32(i)
		}
	}
	a.sets = append(a.sets, s)
	return int32(len(a.sets) - 1)
}

type compiler struct {
	a *automata
	f *nfa
}

func (c compiler) emit(s state) (int32, bool) {
	if c.a.total++; c.a.total > maxStates {
		return 0, false
	}
	c.f.states = append(c.f.states, s)
	return int32(len(c.f.states) - 1), true
}

// compile makes the states of n that go on to next, and gives the first.
func (c compiler) compile(n *node, next int32) (at int32, ok bool) {
	switch n.op {
	case opSet:
		return c.emit(state{kind: kindSet, out: next, set: c.a.setID(n.set)})
	case opAssert:
		c.f.asserts = true
		return c.emit(state{kind: kindAssert, assert: n.assert, out: next})
	case opCapture:
		return c.compile(n.subs[0], next)
	case opConcat:
		for i := len(n.subs) - 1; i >= 0; i-- {
			if next, ok = c.compile(n.subs[i], next); !ok {
				return 0, false
			}
		}
		return next, true
	case opAlt:
		at, ok = c.compile(n.subs[len(n.subs)-1], next)
		for i := len(n.subs) - 2; ok && i >= 0; i-- {
			var first int32
			if first, ok = c.compile(n.subs[i], next); ok {
				at, ok = c.emit(state{kind: kindSplit, out: first, alt: at})
			}
		}
		return at, ok
	case opRepeat:
		return c.repeat(n, next)
	}
	return next, true
}

func (c compiler) repeat(n *node, next int32) (at int32, ok bool) {
	at, ok = next, true
	if n.max == unlimited {
		if at, ok = c.emit(state{kind: kindSplit, alt: next}); !ok {
			return 0, false
		}
		body, ok := c.compile(n.subs[0], at)
		if !ok {
			return 0, false
		}
		c.f.states[at].out = body
	} else {
		for range n.max - n.min {
			var body int32
			if body, ok = c.compile(n.subs[0], at); !ok {
				return 0, false
			}
			if at, ok = c.emit(state{kind: kindSplit, out: body, alt: next}); !ok {
				return 0, false
			}
		}
	}
	for range n.min {
		// An empty body emits nothing: count it, so that {255} nested deeply
		// ends here and not in time.
		if c.a.total++; c.a.total > maxStates {
			return 0, false
		}
		if at, ok = c.compile(n.subs[0], at); !ok {
			return 0, false
		}
	}
	return at, true
}
