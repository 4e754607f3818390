package regex

// bracket reads [...].
func (p *parser) bracket() *node {
	p.pos++
	negate := p.at(0) == '^'
	if negate {
		p.pos++
	}
	var s set
	for first := true; first || p.at(0) != ']'; first = false {
		if p.at(0) < 0 {
			fail(errBracket)
		}
		s = append(s, p.bracketPart(first)...)
	}
	p.pos++
	s = s.canon()
	if p.fold() {
		s = s.fold()
	}
	if negate {
		s = s.not()
		if p.flags&NewlineStop != 0 {
			s = intersect(s, notNL)
		}
	}
	return &node{op: opSet, set: s}
}

func intersect(a, b set) set {
	u := append(append(set{}, a.not()...), b.not()...)
	return u.canon().not()
}

// bracketPart reads one character, range or class. A - stands for itself
// at the very start, at the end, and as the end of a range.
func (p *parser) bracketPart(first bool) set {
	lo, class, isChar := p.bracketElement(first)
	if !isChar {
		return class
	}
	if p.at(0) != '-' || p.at(1) == ']' {
		return set{{lo, lo}}
	}
	p.pos++
	if p.at(0) < 0 {
		fail(errBracket)
	}
	hi := rune('-')
	if p.at(0) == '-' {
		p.pos++
	} else if hi, _, isChar = p.bracketElement(false); !isChar {
		fail(errRange)
	}
	if lo > hi {
		fail(errRange)
	}
	return set{{lo, hi}}
}

func (p *parser) bracketElement(first bool) (c rune, s set, isChar bool) {
	c = p.at(0)
	switch {
	case c == '-' && !first && p.at(1) != ']':
		fail(errRange)
	case c == '\\':
		e := p.escape()
		switch {
		case e.is == 'k' && e.not:
			return 0, class(e.class).not(), false
		case e.is == 'k':
			return 0, class(e.class), false
		case e.is != 'c':
			fail(errEscape)
		}
		return e.char, nil, true
	case c == '[' && p.at(1) < 0:
		fail(errBracket)
	case c == '[' && p.at(1) == '.':
		return p.element(p.name('.')), nil, true
	case c == '[' && p.at(1) == '=':
		c := p.element(p.name('='))
		return 0, set{{c, c}}, false
	case c == '[' && p.at(1) == ':':
		name := p.name(':')
		if p.fold() && (name == "lower" || name == "upper") {
			name = "alpha"
		}
		s := class(name)
		if s == nil {
			fail(errClass)
		}
		return 0, s, false
	}
	p.pos++
	return c, nil, true
}

// name reads [:name:] and its kin.
func (p *parser) name(mark rune) string {
	p.pos += 2
	start := p.pos
	for p.at(0) != mark || p.at(1) != ']' {
		if p.at(0) < 0 {
			fail(errBracket)
		}
		p.pos++
	}
	p.pos += 2
	return string(p.in[start : p.pos-2])
}

// element finds a collating element.
func (p *parser) element(name string) rune {
	if r := []rune(name); len(r) == 1 {
		return r[0]
	}
	c, ok := collating[name]
	if !ok {
		fail(errCollate)
	}
	return c
}
