package regex

import (
	"bytes"
	"iter"
	"sync"
	"unicode/utf8"
)

// Regex is a compiled expression.
type Regex struct {
	*program
	done <-chan struct{}
}

// program is what all searches with an expression share.
type program struct {
	root     *node
	a        *automata
	groups   int
	anchored bool   // matches at the text's start only
	literal  []byte // every match begins with it
	pool     sync.Pool
}

func compile(pattern string, flags Flags) (*Regex, error) {
	root, groups, _, err := parse(pattern, flags)
	if err != nil {
		return nil, err
	}
	a, err := build(root)
	if err != nil {
		return nil, err
	}
	re := &Regex{program: &program{root: root, a: a, groups: groups}}
	lead := leading(root)
	re.anchored, re.literal = lead.anchored, []byte(lead.text)
	re.pool.New = func() any {
		return &matcher{re: re.program, parts: make([]*dfa, len(a.parts))}
	}
	return re, nil
}

// NumSub is the number of capturing parentheses.
func (re *Regex) NumSub() int { return re.groups }

func (re *Regex) get(s []byte) *matcher {
	m := re.pool.Get().(*matcher)
	m.text, m.done, m.stopped = s, re.done, false
	return m
}

// Until gives re with searches that find nothing any more, soon, once done is closed:
// who searches has to look at it himself before he believes that.
func (re *Regex) Until(done <-chan struct{}) *Regex {
	if done == nil {
		return re
	}
	return &Regex{program: re.program, done: done}
}

func (re *Regex) put(m *matcher) {
	m.text, m.loc, m.done = nil, nil, nil
	re.pool.Put(m)
}

// Match says that s has a match: the operator ~.
func (re *Regex) Match(s []byte) bool {
	m := re.get(s)
	ok := m.reject(0) >= 0
	re.put(m)
	return ok
}

// Find appends to loc[:0] the offsets of the first match in s that starts at
// offset from, on a character boundary, or later: start and end of the match,
// then of each capture, -1 for one that took no part. nil if there is none.
// What comes before from is seen by ^, \y and their kin.
func (re *Regex) Find(loc []int, s []byte, from int) []int {
	if from > len(s) {
		return nil
	}
	m := re.get(s)
	defer re.put(m)
	start, end := m.span(from)
	if start < 0 || m.stopped {
		return nil
	}
	loc = append(loc[:0], start, end)
	for range re.groups {
		loc = append(loc, -1, -1)
	}
	m.loc = loc
	m.dissect(re.root, start, end)
	if m.stopped {
		return nil
	}
	return loc
}

// All gives the offsets of all matches from offset from on, each as Find gives it and
// valid until the next. skipEmpty leaves out empty matches at the end of the text or right
// behind another match, as regexp_split_to_table wants it.
func (re *Regex) All(s []byte, from int, skipEmpty bool) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		var loc []int
		last := 0
		for at := from; at <= len(s); {
			if loc = re.Find(loc, s, at); loc == nil {
				return
			}
			if (!skipEmpty || loc[0] < len(s) && loc[1] > last) && !yield(loc) {
				return
			}
			last = loc[1]
			at = Next(s, loc)
		}
	}
}

// Next is the offset where the search goes on after the match loc: its end, one
// character further if it is empty. It may be len(s)+1.
func Next(s []byte, loc []int) int {
	if loc[0] != loc[1] {
		return loc[1]
	}
	if loc[1] >= len(s) {
		return len(s) + 1
	}
	_, n := utf8.DecodeRune(s[loc[1]:])
	return loc[1] + n
}

// reject gives the least end of a match that starts at from or later; -1 if
// there is none.
func (m *matcher) reject(from int) int {
	if m.re.anchored {
		if from > 0 || !bytes.HasPrefix(m.text, m.re.literal) {
			return -1
		}
		return m.dfa(m.re.root).run(m.text, 0, 0, len(m.text), true)
	}
	if len(m.re.literal) > 0 {
		i := bytes.Index(m.text[from:], m.re.literal)
		if i < 0 {
			return -1
		}
		from += i
	}
	if m.float == nil {
		m.float = newDFA(m, m.re.a.parts[m.re.root.id], true)
	}
	return m.float.run(m.text, from, from, len(m.text), true)
}

// span finds the leftmost match and, from there, the longest or shortest one.
func (m *matcher) span(from int) (start, end int) {
	latest := m.reject(from)
	if latest < 0 {
		return -1, -1
	}
	d := m.dfa(m.re.root)
	first := m.re.root.prefer == shortest
	for i := from; i <= latest; {
		if lit := m.re.literal; len(lit) > 0 && !m.re.anchored {
			skip := bytes.Index(m.text[i:], lit)
			if skip < 0 {
				break
			}
			i += skip
		}
		if e := d.run(m.text, i, i, len(m.text), first); e >= 0 {
			return i, e
		}
		if i >= len(m.text) {
			break
		}
		_, n := utf8.DecodeRune(m.text[i:])
		i += n
	}
	return -1, -1
}
