package regex

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// maxTable bounds the transitions one DFA holds (4 bytes each); full, it is
// emptied and grows anew.
const maxTable = 1 << 16

// dfa is a part's automaton made deterministic while it runs. A DFA state is
// the set of NFA states before assertions are looked at, and what stands before
// this place. It is for one goroutine at a time.
//
// A transition is next<<1 | match: match says that the part ends before the
// symbol. State 0 is dead.
type dfa struct {
	m        *matcher
	a        *automata
	f        *nfa
	floating bool // a match may start anywhere from here on
	width    int  // symbols: classes and end
	table    []int32
	kernels  [][]int32
	before   []beside
	index    map[string]int32
	first    [4]int32 // start state by what stands before; 0 if not made
	mark     []uint32 // visited, by NFA state, of generation gen
	gen      uint32
	stack    []int32
	next     []int32
	key      []byte
}

const unknown = int32(-1)

func newDFA(m *matcher, f *nfa, floating bool) *dfa {
	a := m.re.a
	d := &dfa{m: m, a: a, f: f, floating: floating, width: a.alpha.size + 1, mark: make([]uint32, len(f.states))}
	d.clear()
	return d
}

func (d *dfa) clear() {
	d.table, d.kernels, d.before = d.table[:0], d.kernels[:0], d.before[:0]
	d.index = map[string]int32{}
	d.first = [4]int32{}
	d.add(nil, besideOther)
	for i := range d.table {
		d.table[i] = 0 // dead stays dead
	}
}

func (d *dfa) start(b beside) int32 {
	if d.first[b] == 0 {
		if len(d.table) > maxTable {
			d.clear()
		}
		d.first[b] = d.add([]int32{d.f.start}, b)
	}
	return d.first[b]
}

// add finds or makes the state of a sorted kernel.
func (d *dfa) add(kernel []int32, b beside) int32 {
	if !d.f.asserts {
		b = besideOther
	}
	d.key = append(d.key[:0], byte(b))
	for _, s := range kernel {
		d.key = binary.AppendUvarint(d.key, uint64(s))
	}
	if i, ok := d.index[string(d.key)]; ok {
		return i
	}
	i := int32(len(d.kernels))
	d.index[string(d.key)] = i
	d.kernels = append(d.kernels, slices.Clone(kernel))
	d.before = append(d.before, b)
	for range d.width {
		d.table = append(d.table, unknown)
	}
	return i
}

// step works out a transition. The state may be renumbered by an emptied
// table: the transition is what counts.
func (d *dfa) step(from int32, symbol int) int32 {
	if d.gen++; d.gen == 0 {
		clear(d.mark)
		d.gen = 1
	}
	alpha := d.a.alpha
	b, after := d.before[from], alpha.around[symbol]
	matched := int32(0)
	d.next = d.next[:0]
	d.stack = append(d.stack[:0], d.kernels[from]...)
	for len(d.stack) > 0 {
		s := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		if d.mark[s] == d.gen {
			continue
		}
		d.mark[s] = d.gen
		switch st := &d.f.states[s]; st.kind {
		case kindMatch:
			matched = 1
		case kindSplit:
			d.stack = append(d.stack, st.alt, st.out)
		case kindAssert:
			if st.assert.holds(b, after) {
				d.stack = append(d.stack, st.out)
			}
		case kindSet:
			if symbol < alpha.size && d.a.bits[st.set][symbol/64]&(1<<(symbol%64)) != 0 {
				d.next = append(d.next, st.out)
			}
		}
	}
	if d.floating && symbol < alpha.size {
		d.next = append(d.next, d.f.start)
	}
	to := int32(0)
	if len(d.next) > 0 {
		slices.Sort(d.next)
		d.next = slices.Compact(d.next)
		if len(d.table) > maxTable {
			d.clear()
			return d.add(d.next, after)<<1 | matched
		}
		to = d.add(d.next, after)
	}
	t := to<<1 | matched
	d.table[int(from)*d.width+symbol] = t
	return t
}

func (a assertion) holds(before, after beside) bool {
	switch a {
	case atStart:
		return before == besideEdge
	case atEnd:
		return after == besideEdge
	case lineStart:
		return before == besideEdge || before == besideNewline
	case lineEnd:
		return after == besideEdge || after == besideNewline
	case wordStart:
		return before != besideWord && after == besideWord
	case wordEnd:
		return before == besideWord && after != besideWord
	case wordEdge:
		return (before == besideWord) != (after == besideWord)
	}
	return (before == besideWord) == (after == besideWord)
}

// beforeAt tells what stands before offset i of s.
func (d *dfa) beforeAt(s []byte, i int) beside {
	if i == 0 {
		return besideEdge
	}
	if !d.f.asserts {
		return besideOther
	}
	c, _ := utf8.DecodeLastRune(s[:i])
	return d.a.alpha.around[d.a.alpha.of(c)]
}

// run reads s from offset from. It gives the end of the first match that ends
// at lo or later if first is true, else of the last one; none ends after hi.
// -1 if there is none, or the search is to end.
func (d *dfa) run(s []byte, from, lo, hi int, first bool) int {
	state := d.start(d.beforeAt(s, from))
	alpha := d.a.alpha
	found, look := -1, from+pollBytes
	if !d.m.worked(1) {
		return -1
	}
	for i := from; ; {
		symbol, n := alpha.end(), 0
		if i < len(s) {
			if c := s[i]; c < utf8.RuneSelf {
				symbol, n = int(alpha.ascii[c]), 1
			} else {
				var r rune
				r, n = utf8.DecodeRune(s[i:])
				symbol = alpha.of(r)
			}
		}
		t := d.table[int(state)*d.width+symbol]
		if t == unknown {
			t = d.step(state, symbol)
		}
		if t&1 != 0 && i >= lo {
			found = i
			if first {
				d.m.worked(i + pollBytes - look)
				return i
			}
		}
		state = t >> 1
		i += n
		if state == 0 || n == 0 || i > hi {
			d.m.worked(i + pollBytes - look)
			return found
		}
		if i >= look {
			if look = i + pollBytes; !d.m.worked(pollBytes) {
				return -1
			}
		}
	}
}
