package tochar

import "bytes"

// numberPrinter lays the digits of a number out by a template.
//
//	number    its digits, with a point if it has decimals, no sign; next is pos
//	relevant  offset in it of the last digit FM leaves, of the point if there is
//	          none behind it
//	curr      how many digits of the template are done, of count
type numberPrinter struct {
	shape
	out      []byte
	start    int // of this number in out
	number   []byte
	pos      int
	curr     int
	count    int
	blanks   int  // template digits left of the number
	neg      bool // sign is '-'
	inNumber bool
	signDone bool
	relevant int // -1 if it does not matter
}

// layout appends number in the form of f.
func (f *NumberFormat) layout(dst []byte, s shape, number []byte, blanks int, neg bool) ([]byte, error) {
	p := numberPrinter{shape: s, out: dst, start: len(dst), number: number, blanks: blanks, neg: neg, relevant: -1}
	if p.zeroStart > 0 {
		p.zeroStart--
	}
	if s.eeee {
		return append(dst, number...), nil
	}
	if s.roman {
		p.shape = shape{fill: s.fill, roman: true}
		p.blanks = 0
	}
	p.prepareSign()
	p.count = p.post + p.pre - 1
	if p.fill && p.decimal {
		p.relevant = lastRelevant(number)
		// What a 0 asks for stays; a number may have fewer digits than that.
		if p.relevant >= 0 && p.zeroEnd > p.blanks {
			p.relevant = max(p.relevant, min(p.zeroEnd-p.blanks, len(number)-1))
		}
	}
	if !p.signDone && p.blanks == 0 {
		p.count++
	}
	for i := range f.nodes {
		if err := p.node(&f.nodes[i]); err != nil {
			return dst, err
		}
	}
	// A number of fewer digits than the template has ends the text.
	if i := bytes.IndexByte(p.out[p.start:], 0); i >= 0 {
		p.out = p.out[:p.start+i]
	}
	return p.out, nil
}

func (p *numberPrinter) prepareSign() {
	if p.plus || p.minus {
		// MI, PL and SG write the sign themselves; PL alone only a plus.
		p.signDone = p.minus
		return
	}
	if !p.neg && p.fill {
		p.bracket = false
	}
	p.signDone = !p.neg && p.fill && p.sign == noSign
	if p.roman {
		p.signDone = false
	}
	if p.sign == signBefore && p.pre == p.preSign {
		p.sign = signAfter
	}
}

// lastRelevant gives the offset of the last digit behind the point that is not
// 0, of the point itself if there is none; -1 without a point.
func lastRelevant(number []byte) int {
	point := bytes.IndexByte(number, '.')
	if point < 0 {
		return -1
	}
	last := point
	for i := point + 1; i < len(number); i++ {
		if number[i] != '0' {
			last = i
		}
	}
	return last
}

func (p *numberPrinter) signByte() byte {
	if p.neg {
		return '-'
	}
	return '+'
}

func (p *numberPrinter) node(n *numberNode) error {
	switch n.kind {
	case pText:
		p.out = append(p.out, n.text...)
	case pNine, pZero, pPoint, pDecimal:
		p.digit(n.kind)
	case pComma, pGroup:
		switch {
		case p.inNumber:
			p.out = append(p.out, ',')
		case !p.fill:
			p.out = append(p.out, ' ')
		}
	case pCurrency:
		p.out = append(p.out, ' ')
	case pRoman:
		start := len(p.out)
		if !p.fill {
			for range 15 - len(p.number) {
				p.out = append(p.out, ' ')
			}
		}
		p.out = append(p.out, p.number...)
		if n.lower {
			lowerBytes(p.out[start:])
		}
	case pTH:
		if p.roman || p.number[0] == '#' || p.neg || p.decimal {
			return nil
		}
		th := upperOrdinal
		if n.lower {
			th = lowerOrdinal
		}
		var err error
		p.out, err = appendOrdinal(p.out, p.number, th)
		return err
	case pMI:
		p.mark(p.neg, '-')
	case pPL:
		p.mark(!p.neg && !p.roman, '+')
	case pSG:
		if p.roman {
			p.out = append(p.out, 0) // there is no sign: the text ends
			return nil
		}
		p.out = append(p.out, p.signByte())
	}
	return nil
}

func (p *numberPrinter) mark(on bool, c byte) {
	switch {
	case on:
		p.out = append(p.out, c)
	case !p.fill:
		p.out = append(p.out, ' ')
	}
}

// at gives the digit to be written next, 0 beyond the last.
func (p *numberPrinter) at() byte {
	if p.pos < len(p.number) {
		return p.number[p.pos]
	}
	return 0
}

// leadingZero says that the digit is the 0 of 0.1, which 9.9 does not show.
func (p *numberPrinter) leadingZero() bool {
	return !p.zero && p.pos == 0 && p.at() == '0' && p.post != 0
}

// wholeOnly says that FM leaves nothing behind the point.
func (p *numberPrinter) wholeOnly() bool { return p.relevant >= 0 && p.number[p.relevant] == '.' }

// digit writes what a 9, a 0 or the point of the template stands for.
func (p *numberPrinter) digit(kind pattern) {
	if p.roman {
		return
	}
	p.inNumber = false
	if !p.signDone && (p.curr >= p.blanks || p.zero && p.zeroStart == p.curr) && (!p.leadingZero() || p.wholeOnly()) {
		p.leadingSign()
	}
	switch {
	case p.curr < p.blanks && (p.zeroStart > p.curr || !p.zero):
		if !p.fill {
			p.out = append(p.out, ' ')
		}
	case p.curr < p.blanks:
		p.out = append(p.out, '0')
		p.inNumber = true
	default:
		p.figure(kind)
	}
	end := p.count
	if p.blanks > 0 {
		end++
	}
	if p.decimal {
		end++
	}
	if p.relevant >= 0 && p.relevant == p.pos {
		end = p.curr
	}
	if p.curr+1 == end {
		p.trailingSign()
	}
	p.curr++
}

func (p *numberPrinter) figure(kind pattern) {
	switch {
	case p.at() == '.':
		if !p.wholeOnly() || p.fill {
			p.out = append(p.out, '.')
		}
	case p.relevant >= 0 && p.pos > p.relevant && kind != pZero:
	case p.leadingZero():
		if !p.fill {
			p.out = append(p.out, ' ')
		} else if p.wholeOnly() {
			p.out = append(p.out, '0')
		}
	default:
		p.out = append(p.out, p.at())
		p.inNumber = true
	}
	if p.pos < len(p.number) {
		p.pos++
	}
}

func (p *numberPrinter) leadingSign() {
	switch {
	case p.sign == signBefore:
		p.out = append(p.out, p.signByte())
	case p.sign == signAfter:
		return
	case p.bracket && p.neg:
		p.out = append(p.out, '<')
	case p.bracket:
		p.out = append(p.out, ' ')
	case p.neg:
		p.out = append(p.out, '-')
	case !p.fill:
		p.out = append(p.out, ' ')
	}
	p.signDone = true
}

func (p *numberPrinter) trailingSign() {
	switch {
	case p.signDone && p.bracket && p.neg:
		p.out = append(p.out, '>')
	case p.signDone && p.bracket:
		p.out = append(p.out, ' ')
	case p.sign == signAfter:
		p.out = append(p.out, p.signByte())
	}
}
