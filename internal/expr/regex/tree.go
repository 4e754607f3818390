package regex

type op uint8

const (
	opEmpty op = iota
	opSet
	opAssert
	opConcat // subs in order; two where captures or preferences divide it
	opAlt
	opRepeat
	opCapture
)

// preference is whether a part wants as much or as little text as it can get.
type preference uint8

const (
	noPreference preference = iota
	longest
	shortest
)

// assertion is a condition on the characters on both sides of a place.
type assertion uint8

const (
	atStart   assertion = iota // \A, and ^ without w
	atEnd                      // \Z, and $ without w
	lineStart                  // ^ with w
	lineEnd                    // $ with w
	wordStart                  // \m
	wordEnd                    // \M
	wordEdge                   // \y
	notAtWord                  // \Y
)

// unlimited is the max of *, + and {m,}.
const unlimited = -1

type node struct {
	op       op
	set      set
	assert   assertion
	subs     []*node
	min, max int
	capture  int
	prefer   preference
	mixed    bool // has parts of both preferences
	captures bool // holds a capture
	id       int  // of its automaton, among those dissection asks
}

// divides says that a span of n must be divided to find captures in it.
func (n *node) divides() bool { return n.captures }

func concat(subs ...*node) *node {
	out := &node{op: opConcat}
	var l, s bool
	for _, x := range subs {
		if x == nil {
			continue
		}
		out.subs = append(out.subs, x)
		if out.prefer == noPreference {
			out.prefer = x.prefer
		}
		l = l || x.prefer == longest
		s = s || x.prefer == shortest
		out.mixed = out.mixed || x.mixed
		out.captures = out.captures || x.captures
	}
	out.mixed = out.mixed || l && s
	switch len(out.subs) {
	case 0:
		return &node{op: opEmpty}
	case 1:
		return out.subs[0]
	}
	return out
}

// alternate always prefers the longest.
func alternate(branches []*node) *node {
	if len(branches) == 1 {
		return branches[0]
	}
	out := &node{op: opAlt, subs: branches, prefer: longest}
	for _, b := range branches {
		out.mixed = out.mixed || b.mixed || b.prefer == shortest
		out.captures = out.captures || b.captures
	}
	return out
}

func repeat(x *node, lo, hi int, p preference) *node {
	out := &node{op: opRepeat, subs: []*node{x}, min: lo, max: hi, prefer: p, captures: x.captures}
	if p == noPreference {
		out.prefer = x.prefer
	}
	out.mixed = x.mixed || x.prefer != noPreference && out.prefer != x.prefer
	return out
}
