package tochar

import (
	"strings"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// pattern is what a part of a number template stands for.
type pattern uint8

const (
	pText pattern = iota
	pComma
	pPoint
	pZero
	pBlank
	pC
	pNine
	pDecimal
	pEEEE
	pFM
	pGroup
	pCurrency
	pMI
	pPL
	pPR
	pRoman
	pSG
	pSP
	pS
	pTH
	pV
)

type numberNode struct {
	kind  pattern
	lower bool   // rn, th
	text  string // one character, of pText
}

// signPlace is where S puts the sign.
type signPlace uint8

const (
	noSign signPlace = iota
	signBefore
	signAfter
)

// shape is what the patterns of a template add up to.
type shape struct {
	pre, post, multi     int // digits before and behind the point; after V
	zeroStart, zeroEnd   int // digit positions of the first and last 0, from 1
	decimal, zero, fill  bool
	blank                bool
	bracket, minus, plus bool
	roman, v, eeee       bool
	sign                 signPlace
	preSign              int // digits before S
}

// NumberFormat is a template of numbers.
type NumberFormat struct {
	nodes []numberNode
	shape shape
	empty bool // the template is the empty text
}

// numberKeywords are tried in order: a name stands before its own beginnings.
var numberKeywords = []struct {
	name string
	kind pattern
}{
	{",", pComma}, {".", pPoint}, {"0", pZero}, {"9", pNine}, {"B", pBlank}, {"C", pC}, {"D", pDecimal},
	{"EEEE", pEEEE}, {"FM", pFM}, {"G", pGroup}, {"L", pCurrency}, {"MI", pMI}, {"PL", pPL}, {"PR", pPR},
	{"RN", pRoman}, {"SG", pSG}, {"SP", pSP}, {"S", pS}, {"TH", pTH}, {"V", pV},
}

var numberCache cache[*NumberFormat]

// Numbers parses a template: 42601 where patterns do not go together.
func Numbers(template []byte) (*NumberFormat, error) {
	if f, ok := numberCache.get(template); ok {
		return f, nil
	}
	f, err := parseNumbers(string(template))
	if err != nil {
		return nil, err
	}
	numberCache.put(template, f)
	return f, nil
}

func parseNumbers(s string) (*NumberFormat, error) {
	f := &NumberFormat{empty: s == ""}
	text := func(c string) { f.nodes = append(f.nodes, numberNode{kind: pText, text: c}) }
next:
	for s != "" {
		for _, k := range numberKeywords {
			if name := k.name; strings.HasPrefix(s, name) || strings.HasPrefix(s, lowerASCII(name)) {
				n := numberNode{kind: k.kind, lower: s[0] >= 'a'}
				if err := f.shape.add(n.kind); err != nil {
					return nil, err
				}
				f.nodes = append(f.nodes, n)
				s = s[len(name):]
				continue next
			}
		}
		if s[0] == '"' {
			s = quoted(s, text)
			continue
		}
		s = unescape(s)
		_, n := utf8.DecodeRuneInString(s)
		text(s[:n])
		s = s[n:]
	}
	return f, nil
}

func conflict(format string) *sqlerr.Error { return sqlerr.New(sqlerr.SyntaxError, "%s", format) }

// add counts a pattern in.
func (s *shape) add(p pattern) error {
	if s.eeee && p != pEEEE {
		return conflict(`"EEEE" must be the last pattern used`)
	}
	switch p {
	case pNine:
		switch {
		case s.bracket:
			return conflict(`"9" must be ahead of "PR"`)
		case s.v:
			s.multi++
		case s.decimal:
			s.post++
		default:
			s.pre++
		}
	case pZero:
		if s.bracket {
			return conflict(`"0" must be ahead of "PR"`)
		}
		if !s.zero && !s.decimal {
			s.zero = true
			s.zeroStart = s.pre + 1
		}
		if s.decimal {
			s.post++
		} else {
			s.pre++
		}
		s.zeroEnd = s.pre + s.post
	case pBlank:
		s.blank = s.blank || s.pre == 0 && s.post == 0 && !s.zero
	case pDecimal, pPoint:
		if s.decimal {
			return conflict("multiple decimal points")
		}
		if s.v {
			return conflict(`cannot use "V" and decimal point together`)
		}
		s.decimal = true
	case pFM:
		s.fill = true
	case pV:
		if s.decimal {
			return conflict(`cannot use "V" and decimal point together`)
		}
		s.v = true
	case pRoman:
		s.roman = true
	case pEEEE:
		if s.eeee {
			return conflict(`cannot use "EEEE" twice`)
		}
		if s.blank || s.fill || s.sign != noSign || s.bracket || s.minus || s.plus || s.roman || s.v {
			return conflict(`"EEEE" is incompatible with other formats`).
				WithDetail(`"EEEE" may only be used together with digit and decimal point patterns.`)
		}
		s.eeee = true
	default:
		return s.addSign(p)
	}
	return nil
}

func (s *shape) addSign(p pattern) error {
	switch p {
	case pS:
		if s.sign != noSign {
			return conflict(`cannot use "S" twice`)
		}
		if s.plus || s.minus || s.bracket {
			return conflict(`cannot use "S" and "PL"/"MI"/"SG"/"PR" together`)
		}
		s.sign = signAfter
		if !s.decimal {
			s.sign = signBefore
			s.preSign = s.pre
		}
	case pMI:
		if s.sign != noSign {
			return conflict(`cannot use "S" and "MI" together`)
		}
		s.minus = true
	case pPL:
		if s.sign != noSign {
			return conflict(`cannot use "S" and "PL" together`)
		}
		s.plus = true
	case pSG:
		if s.sign != noSign {
			return conflict(`cannot use "S" and "SG" together`)
		}
		s.minus, s.plus = true, true
	case pPR:
		if s.sign != noSign || s.plus || s.minus {
			return conflict(`cannot use "PR" and "S"/"PL"/"MI"/"SG" together`)
		}
		s.bracket = true
	}
	return nil
}
