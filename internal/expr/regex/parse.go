package regex

import "unicode"

const (
	//saltsql:limit types: n of {m,n} in a regular expression (2201B)
	maxCount = 255 // Postgres's limit of {m,n}
	//saltsql:limit types: nested parentheses of a regular expression (2201B)
	maxDepth = 500 // of nested parentheses
	//saltsql:limit types: captures of a regular expression (2201B)
	maxGroups = 2000 // captures
)

type parser struct {
	in     []rune
	pos    int
	flags  Flags
	depth  int
	groups int
	closed []bool // by capture number: its parenthesis is closed
}

// bail carries a parse error up to parse.
type bail struct{ err error }

func fail(reason string) { panic(bail{invalid(reason)}) }

// parse reads an ARE. The flags it returns are those left after the pattern's
// own options.
func parse(pattern string, flags Flags) (root *node, groups int, out Flags, err error) {
	p := &parser{in: []rune(pattern), flags: flags, closed: make([]bool, 1)}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case bail:
			err = r.err
		default:
			panic(r)
		}
	}()
	p.director()
	if p.flags&Literal != 0 {
		return p.literal(), 0, p.flags, nil
	}
	root = p.alternation()
	if p.pos < len(p.in) {
		fail(errParen)
	}
	return root, p.groups, p.flags, nil
}

// director reads ***: ***= and the options (?ixs) that may begin a pattern.
func (p *parser) director() {
	if p.flags&Literal != 0 {
		if p.flags&(Expanded|newlines) != 0 {
			fail(errArgument)
		}
		return
	}
	if p.looking("***") {
		switch p.at(3) {
		case '=':
			p.flags = p.flags&IgnoreCase | Literal
			p.pos += 4
			return
		case ':':
			p.pos += 4
		case '?':
			fail(errPattern)
		default:
			fail(errOperand)
		}
	}
	if !p.looking("(?") || !isLetter(p.at(2)) {
		return
	}
	for p.pos += 2; isLetter(p.at(0)); p.pos++ {
		switch c := p.at(0); {
		case c == 'b' || c == 'e':
			panic(bail{noDialect(c)})
		case !p.flags.set(c):
			fail(errOption)
		}
	}
	if p.at(0) != ')' {
		fail(errOption)
	}
	p.pos++
	if p.flags&Literal != 0 {
		p.flags &^= Expanded | newlines
	}
}

func isLetter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c rune) bool  { return c >= '0' && c <= '9' }

// at gives the k-th character from here, -1 beyond the end.
func (p *parser) at(k int) rune {
	if p.pos+k < len(p.in) {
		return p.in[p.pos+k]
	}
	return -1
}

func (p *parser) looking(s string) bool {
	for i, c := range s {
		if p.at(i) != c {
			return false
		}
	}
	return true
}

// skip passes over what has no meaning: (?#comments), and with x white space
// and #comments.
func (p *parser) skip() {
	for p.pos < len(p.in) {
		switch {
		case p.looking("(?#"):
			for p.pos < len(p.in) && p.in[p.pos] != ')' {
				p.pos++
			}
			p.pos = min(p.pos+1, len(p.in))
		case p.flags&Expanded != 0 && unicode.IsSpace(p.in[p.pos]):
			p.pos++
		case p.flags&Expanded != 0 && p.in[p.pos] == '#':
			for p.pos < len(p.in) && p.in[p.pos] != '\n' {
				p.pos++
			}
		default:
			return
		}
	}
}

func (p *parser) fold() bool { return p.flags&IgnoreCase != 0 }

func (p *parser) char(c rune) *node { return &node{op: opSet, set: single(c, p.fold())} }

func (p *parser) literal() *node {
	var subs []*node
	for _, c := range p.in[p.pos:] {
		subs = append(subs, p.char(c))
	}
	return concat(subs...)
}

func (p *parser) alternation() *node {
	branches := []*node{p.branch()}
	for p.at(0) == '|' {
		p.pos++
		branches = append(branches, p.branch())
	}
	return alternate(branches)
}

// item is a quantified atom; a group stands alone in dissection.
type item struct {
	n     *node
	group bool
}

func (p *parser) branch() *node {
	var items []item
	for {
		p.skip()
		switch p.at(0) {
		case -1, '|', ')':
			return join(items)
		}
		items = append(items, p.quantified())
	}
}

// join divides a branch as Postgres does: what comes before the first group or
// clash of preferences, that atom, the rest.
func join(items []item) *node {
	var before []*node
	prefer := noPreference
	for i, it := range items {
		clash := prefer != noPreference && it.n.prefer != noPreference && it.n.prefer != prefer
		if !it.group && !clash {
			before = append(before, it.n)
			if prefer == noPreference {
				prefer = it.n.prefer
			}
			continue
		}
		var head, rest *node
		if len(before) > 0 {
			head = concat(before...)
		}
		if i+1 < len(items) {
			rest = join(items[i+1:])
		}
		if rest == nil {
			return concat(head, it.n)
		}
		return concat(head, concat(it.n, rest))
	}
	return concat(before...)
}

// quantified reads an atom and its quantifier.
func (p *parser) quantified() item {
	x, group, canRepeat := p.atom()
	p.skip()
	if !canRepeat {
		return item{x, false}
	}
	lo, hi, prefer, ok := p.quantifier()
	if !ok {
		return item{x, group}
	}
	same := prefer == noPreference || x.prefer == noPreference && !x.mixed || prefer == x.prefer && !x.mixed
	switch {
	case lo == 0 && hi == 0:
		return item{&node{op: opEmpty}, false}
	case !group:
		return item{repeat(x, lo, hi, prefer), false}
	case lo == 1 && hi == 1 && same:
		if prefer == x.prefer || prefer == noPreference {
			return item{x, true}
		}
		wrapped := *concat(x)
		wrapped.prefer = prefer
		return item{&wrapped, true}
	case lo > 0 && x.captures:
		// Only the last repetition's captures are seen: what comes before it is
		// one part that need not be divided.
		return item{p.lastOf(x, lo, hi, prefer), true}
	}
	return item{repeat(x, lo, hi, prefer), true}
}

func (p *parser) lastOf(x *node, lo, hi int, prefer preference) *node {
	most := hi - 1
	if hi == unlimited {
		most = unlimited
	}
	var before *node
	if most == 0 {
		before = &node{op: opEmpty, prefer: prefer}
	} else {
		before = repeat(uncaptured(x), lo-1, most, prefer)
	}
	if before.prefer == noPreference {
		before.prefer = x.prefer
	}
	n := concat(before, x)
	if prefer != noPreference {
		n.prefer = prefer
	}
	return n
}

// uncaptured is a copy of x without its captures.
func uncaptured(x *node) *node {
	if !x.captures {
		return x
	}
	if x.op == opCapture {
		return uncaptured(x.subs[0])
	}
	c := *x
	c.captures = false
	c.subs = make([]*node, len(x.subs))
	for i, s := range x.subs {
		c.subs[i] = uncaptured(s)
	}
	return &c
}

// quantifier reads * + ? {m,n} and a ? behind it.
func (p *parser) quantifier() (lo, hi int, prefer preference, ok bool) {
	switch p.at(0) {
	case '*':
		lo, hi = 0, unlimited
	case '+':
		lo, hi = 1, unlimited
	case '?':
		lo, hi = 0, 1
	case '{':
		if isDigit(p.at(1)) {
			p.pos++
			lo, hi, prefer = p.bound()
			return lo, hi, prefer, true
		}
		return 0, 0, 0, false
	default:
		return 0, 0, 0, false
	}
	p.pos++
	return lo, hi, p.greed(), true
}

func (p *parser) greed() preference {
	if p.at(0) == '?' {
		p.pos++
		return shortest
	}
	return longest
}

func (p *parser) bound() (lo, hi int, prefer preference) {
	lo = p.count()
	hi = lo
	ranged := false
	if p.at(0) == ',' {
		ranged = true
		p.pos++
		p.blanks()
		hi = unlimited
		if isDigit(p.at(0)) {
			if hi = p.count(); hi < lo {
				fail(errCount)
			}
		}
	}
	switch p.at(0) {
	case '}':
	case -1:
		fail(errBrace)
	default:
		fail(errCount)
	}
	p.pos++
	prefer = p.greed()
	if !ranged {
		prefer = noPreference // {m} passes its operand's on
	}
	return lo, hi, prefer
}

func (p *parser) blanks() {
	if p.flags&Expanded != 0 {
		p.skip()
	}
}

func (p *parser) count() int {
	n := 0
	for isDigit(p.at(0)) {
		n = n*10 + int(p.at(0)-'0')
		if n > maxCount {
			fail(errCount)
		}
		p.pos++
		p.blanks()
	}
	return n
}
