package tochar

import (
	"math"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

func (r *reader) fraction(n *dateNode, i int, dest *int, digits int) error {
	return r.fractionOf(n, i, dest, digits, digits)
}

// fractionOf reads digits behind a point into units of which 10^places make a
// second: 25 is a quarter, 025 is not.
func (r *reader) fractionOf(n *dateNode, i int, dest *int, digits, places int) error {
	used, err := r.number(n, i, dest, digits)
	if err != nil || used < 1 {
		return err
	}
	for ; used < places; used++ {
		*dest *= 10
	}
	return nil
}

// number reads an integer: exactly width characters where a digit may follow
// that is not its own, else as many as there are. used counts blanks too.
func (r *reader) number(n *dateNode, i int, dest *int, width int) (used int, err error) {
	start := r.pos
	text := strings.TrimLeft(r.rest(), " \t\n\v\f\r")
	blanks := len(r.rest()) - len(text)
	copied := text[:min(width, len(text))]
	var v int64
	var length int
	var overflow bool
	if n.fill || r.endsNumber(n, i) {
		v, length, overflow = parseInt(text)
	} else {
		if len(text) < width {
			return 0, badFormat(`source string too short for "%s" formatting field`, n.key.name).
				WithDetail("Field requires %d characters, but only %d remain.", width, len(text)).
				WithHint(`If your source string is not fixed-width, try using the "FM" modifier.`)
		}
		v, length, overflow = parseInt(copied)
		if length > 0 && length < width {
			return 0, badFormat(`invalid value "%s" for "%s"`, copied, n.key.name).
				WithDetail("Field requires %d characters, but only %d could be parsed.", width, length).
				WithHint(`If your source string is not fixed-width, try using the "FM" modifier.`)
		}
	}
	if length > 0 {
		r.pos += blanks + length
	} else if !(n.fill || r.endsNumber(n, i)) {
		r.pos += blanks
	}
	if r.pos == start {
		return 0, badFormat(`invalid value "%s" for "%s"`, copied, n.key.name).
			WithDetail("Value must be an integer.")
	}
	if overflow || v < math.MinInt32 || v > math.MaxInt32 {
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, `value for "%s" in source string is out of range`, n.key.name).
			WithDetail("Value must be in the range %d to %d.", math.MinInt32, math.MaxInt32)
	}
	return r.pos - start, set(n, dest, int(v))
}

// endsNumber says that what follows node i in the template is no digit.
func (r *reader) endsNumber(n *dateNode, i int) bool {
	if n.th != noOrdinal || i+1 == len(r.f.nodes) {
		return true
	}
	next := &r.f.nodes[i+1]
	if next.kind == nodeField {
		return !next.key.numeric
	}
	return len(next.char) != 1 || !isDigit(next.char[0])
}

// parseInt reads as C's strtol: blanks, a sign, digits. length is 0 if there is
// none.
func parseInt(s string) (v int64, length int, overflow bool) {
	i := 0
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	start := i
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	digits := i
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	if i == digits {
		return 0, 0, false
	}
	v, err := strconv.ParseInt(s[start:i], 10, 64)
	return v, i, err != nil
}

// commaYear reads Y,YYY.
func (r *reader) commaYear(n *dateNode) error {
	bad := badFormat(`invalid input string for "Y,YYY"`)
	thousands, used, over := parseInt(r.rest())
	if used == 0 || over || used >= len(r.rest()) || r.rest()[used] != ',' {
		return bad
	}
	tail := r.rest()[used+1:]
	blanks := len(tail) - len(strings.TrimLeft(tail, " \t\n\v\f\r"))
	years, more, _ := parseInt(tail[blanks:min(blanks+3, len(tail))])
	if more == 0 {
		return bad
	}
	if v := years + thousands*1000; v >= math.MinInt32 && v <= math.MaxInt32 && thousands >= math.MinInt32 && thousands <= math.MaxInt32 {
		if err := set(n, &r.out.year, int(v)); err != nil {
			return err
		}
	} else {
		return sqlerr.New(sqlerr.DatetimeFieldOverflow, `value for "%s" in source string is out of range`, n.key.name)
	}
	r.out.yearDigits = 4
	r.pos += used + 1 + blanks + more
	return nil
}
