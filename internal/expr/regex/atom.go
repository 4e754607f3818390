package regex

import "strconv"

// atom reads one atom or assertion. group is true for parentheses; canRepeat is
// false for assertions, which take no quantifier.
func (p *parser) atom() (n *node, group, canRepeat bool) {
	c := p.at(0)
	switch c {
	case '*', '+', '?':
		fail(errOperand)
	case '{':
		if isDigit(p.at(1)) {
			fail(errOperand)
		}
	case '(':
		return p.group(), true, true
	case '[':
		if p.looking("[[:<:]]") || p.looking("[[:>:]]") {
			a := wordStart
			if p.at(3) == '>' {
				a = wordEnd
			}
			p.pos += 7
			return &node{op: opAssert, assert: a}, false, false
		}
		return p.bracket(), false, true
	case '\\':
		return p.escapeAtom()
	case '^', '$':
		p.pos++
		return &node{op: opAssert, assert: p.anchor(c)}, false, false
	case '.':
		p.pos++
		if p.flags&NewlineStop != 0 {
			return &node{op: opSet, set: notNL}, false, true
		}
		return &node{op: opSet, set: anyChar}, false, true
	}
	p.pos++
	return p.char(c), false, true
}

func (p *parser) anchor(c rune) assertion {
	multi := p.flags&NewlineAnchor != 0
	switch {
	case c == '^' && multi:
		return lineStart
	case c == '^':
		return atStart
	case multi:
		return lineEnd
	}
	return atEnd
}

func (p *parser) group() *node {
	p.pos++
	number := 0
	if p.at(0) == '?' {
		switch c := p.at(1); {
		case c == ':':
			p.pos += 2
		case c == '=' || c == '!' || c == '<' && (p.at(2) == '=' || p.at(2) == '!'):
			panic(bail{noLookaround()})
		default:
			fail(errOperand)
		}
	} else {
		p.groups++
		number = p.groups
		p.closed = append(p.closed, false)
	}
	if p.depth++; p.depth > maxDepth || p.groups > maxGroups {
		fail(errTooBig)
	}
	x := p.alternation()
	if p.at(0) != ')' {
		fail(errParen)
	}
	p.pos++
	p.depth--
	if number == 0 {
		return x
	}
	p.closed[number] = true
	return &node{op: opCapture, capture: number, subs: []*node{x}, prefer: x.prefer, mixed: x.mixed, captures: true}
}

// escape is what a backslash means.
type escape struct {
	class  string // \d \s \w
	not    bool   // \D \S \W
	assert assertion
	is     byte // 'c' character, 'k' class, 'a' assertion, 'b' back reference
	char   rune
}

func (p *parser) escapeAtom() (n *node, group, canRepeat bool) {
	e := p.escape()
	switch e.is {
	case 'k':
		s := class(e.class)
		if e.not {
			s = s.not()
		}
		return &node{op: opSet, set: s}, false, true
	case 'a':
		return &node{op: opAssert, assert: e.assert}, false, false
	case 'b':
		if int(e.char) >= len(p.closed) || !p.closed[e.char] {
			fail(errBackref)
		}
		panic(bail{noBackref()})
	}
	return p.char(e.char), false, true
}

func (p *parser) escape() escape {
	p.pos++
	c := p.at(0)
	if c < 0 {
		fail(errEscape)
	}
	p.pos++
	char := func(c rune) escape { return escape{is: 'c', char: c} }
	assert := func(a assertion) escape { return escape{is: 'a', assert: a} }
	switch c {
	case 'a':
		return char('\a')
	case 'b':
		return char('\b')
	case 'B':
		return char('\\')
	case 'e':
		return char(0x1b)
	case 'f':
		return char('\f')
	case 'n':
		return char('\n')
	case 'r':
		return char('\r')
	case 't':
		return char('\t')
	case 'v':
		return char('\v')
	case 'c':
		c := p.at(0)
		if c < 0 {
			fail(errEscape)
		}
		p.pos++
		return char(c & 0x1f)
	case 'd', 'D':
		return escape{is: 'k', class: "digit", not: c == 'D'}
	case 's', 'S':
		return escape{is: 'k', class: "space", not: c == 'S'}
	case 'w', 'W':
		return escape{is: 'k', class: "word", not: c == 'W'}
	case 'A':
		return assert(atStart)
	case 'Z':
		return assert(atEnd)
	case 'm':
		return assert(wordStart)
	case 'M':
		return assert(wordEnd)
	case 'y':
		return assert(wordEdge)
	case 'Y':
		return assert(notAtWord)
	case 'u':
		return char(p.number(16, 4, 4))
	case 'U':
		return char(p.number(16, 8, 8))
	case 'x':
		return char(p.number(16, 1, 255))
	}
	if isDigit(c) {
		return p.digits()
	}
	if isLetter(c) {
		fail(errEscape)
	}
	return char(c)
}

// digits reads \1 as a back reference, \0 and what is no group's number as
// octal.
func (p *parser) digits() escape {
	p.pos--
	start := p.pos
	if p.at(0) != '0' {
		end := start
		for end < len(p.in) && isDigit(p.in[end]) && end-start < 255 {
			end++
		}
		n, err := strconv.Atoi(string(p.in[start:end]))
		if end == start+1 || err == nil && n > 0 && n <= p.groups {
			p.pos = end
			return escape{is: 'b', char: rune(n)}
		}
	}
	v := p.number(8, 1, 3)
	if v > 0xff {
		p.pos--
		v >>= 3
	}
	return escape{is: 'c', char: v}
}

// number reads a character's code of lo to hi digits.
func (p *parser) number(base, lo, hi int) rune {
	v, n := int64(0), 0
	for ; n < hi; n++ {
		d, err := strconv.ParseUint(string(max(p.at(0), 0)), base, 8)
		if err != nil {
			break
		}
		if v = v*int64(base) + int64(d); v > maxRune {
			fail(errEscape)
		}
		p.pos++
	}
	if n < lo {
		fail(errEscape)
	}
	return rune(v)
}
