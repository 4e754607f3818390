package tochar

import (
	"strings"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

// numberReader takes a number off a text.
type numberReader struct {
	shape
	s        string
	pos      int
	sign     byte   // blank until one is read
	digits   []byte // with a point
	readPre  int
	readPost int
	readDec  bool
}

// ToNumber is to_number(text, text): it sets z. null is true for an empty
// template. 22P02 if there is no number, 22003 if it has more digits than the
// template, 0A000 for EEEE and RN.
func (f *NumberFormat) ToNumber(z *numeric.Dec, s string) (null bool, err error) {
	if f.empty {
		return true, nil
	}
	if f.shape.eeee {
		return false, sqlerr.New(sqlerr.FeatureNotSupported, `"EEEE" not supported for input`)
	}
	if f.shape.roman {
		return false, sqlerr.New(sqlerr.FeatureNotSupported, `"RN" not supported for input`)
	}
	r := numberReader{shape: f.shape, s: s, sign: ' '}
	for i := range f.nodes {
		if r.done() {
			break
		}
		r.node(&f.nodes[i])
	}
	if n := len(r.digits); n > 0 && r.digits[n-1] == '.' {
		r.digits = r.digits[:n-1]
	}
	if err := numeric.Parse(z, string(r.sign)+string(r.digits)); err != nil {
		return false, err
	}
	scale := r.readPost
	if err := numeric.ApplyPrecision(z, f.shape.pre+f.shape.multi+scale, scale); err != nil {
		return false, err
	}
	if !f.shape.v {
		return false, nil
	}
	var ten, exp, factor numeric.Dec
	numeric.SetInt64(&ten, 10)
	numeric.SetInt64(&exp, -int64(f.shape.multi))
	if err := numeric.Power(&factor, &ten, &exp); err != nil {
		return false, err
	}
	return false, numeric.Mul(z, z, &factor)
}

func (r *numberReader) done() bool { return r.pos >= len(r.s) }

func (r *numberReader) at() byte {
	if r.done() {
		return 0
	}
	return r.s[r.pos]
}

func (r *numberReader) advance() {
	if !r.done() {
		_, n := utf8.DecodeRuneInString(r.s[r.pos:])
		r.pos += n
	}
}

// skipText passes over up to n characters that cannot belong to a number.
func (r *numberReader) skipText(n int) {
	for ; n > 0 && !r.done(); n-- {
		if strings.IndexByte("0123456789.,+-", r.at()) >= 0 {
			return
		}
		r.advance()
	}
}

func (r *numberReader) node(n *numberNode) {
	switch n.kind {
	case pText:
		r.advance()
	case pNine, pZero, pPoint, pDecimal:
		r.digit(n.kind)
		r.pos++
	case pComma, pGroup:
		if !r.fill && r.at() == ',' {
			r.pos++
		}
	case pCurrency:
		r.skipText(1)
	case pTH:
		if !r.decimal {
			r.skipText(2)
		}
	case pMI:
		r.mark("-")
	case pPL:
		r.mark("+")
	case pSG:
		r.mark("+-")
	}
}

func (r *numberReader) mark(signs string) {
	if strings.IndexByte(signs, r.at()) >= 0 {
		r.sign = r.at()
		r.pos++
		return
	}
	r.skipText(1)
}

func (r *numberReader) takeSign() bool {
	c := r.at()
	if c == '-' || c == '+' {
		r.sign = c
		r.pos++
		return true
	}
	return false
}

// digit reads what a 9, a 0 or the point stands for; the caller goes on one
// character after it.
func (r *numberReader) digit(kind pattern) {
	if r.at() == ' ' {
		r.pos++
	}
	if r.done() {
		return
	}
	if r.sign == ' ' && (kind == pZero || kind == pNine) && r.readPre+r.readPost == 0 {
		switch {
		case r.shape.sign == signBefore:
			r.takeSign()
		case r.bracket && r.at() == '<':
			r.sign = '-'
			r.pos++
		default:
			r.takeSign()
		}
	}
	if r.done() {
		return
	}
	read := false
	switch c := r.at(); {
	case isDigit(c):
		if r.readDec && r.readPost == r.post {
			return
		}
		r.digits = append(r.digits, c)
		if r.readDec {
			r.readPost++
		} else {
			r.readPre++
		}
		read = true
	case r.decimal && !r.readDec && c == '.':
		r.digits = append(r.digits, '.')
		r.readDec = true
		read = true
	}
	r.signBehind(read)
}

// signBehind reads the sign that follows the last digit: S right behind it, MI,
// PL and SG where a 9 finds the sign in place of a digit.
func (r *numberReader) signBehind(read bool) {
	if r.sign != ' ' || r.readPre+r.readPost == 0 {
		return
	}
	switch {
	case r.shape.sign != noSign:
		if read && r.pos+1 < len(r.s) && (r.s[r.pos+1] == '-' || r.s[r.pos+1] == '+') {
			r.pos++
			r.sign = r.at()
		}
	case !read && (r.plus || r.minus):
		if c := r.at(); c == '-' || c == '+' {
			r.sign = c
		}
	}
}
