package regex

import (
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Flags change what a pattern means.
type Flags uint8

const (
	// IgnoreCase is option i, and the operators ~* and !~*.
	IgnoreCase Flags = 1 << iota
	// Expanded is option x: white space and #comments do not count.
	Expanded
	// NewlineStop is option p: . and [^…] do not match a newline.
	NewlineStop
	// NewlineAnchor is option w: ^ and $ match at line ends too.
	NewlineAnchor
	// Literal is option q: the pattern is the text itself.
	Literal

	newlines = NewlineStop | NewlineAnchor
)

// ParseFlags reads the flags argument of regexp_replace and its kin. Option g
// is the caller's. 22023 for an unknown letter.
func ParseFlags(options string) (f Flags, global bool, err error) {
	for i, c := range options {
		if c == 'g' {
			global = true
			continue
		}
		if c == 'b' || c == 'e' {
			return 0, false, noDialect(c)
		}
		if !f.set(c) {
			_, n := utf8.DecodeRuneInString(options[i:])
			return 0, false, sqlerr.New(sqlerr.InvalidParameterValue, `invalid regular expression option: "%s"`, options[i:i+n])
		}
	}
	return f, global, nil
}

func (f *Flags) set(c rune) bool {
	switch c {
	case 'c':
		*f &^= IgnoreCase
	case 'i':
		*f |= IgnoreCase
	case 'm', 'n':
		*f |= newlines
	case 'p':
		*f = *f&^newlines | NewlineStop
	case 'q':
		*f |= Literal
	case 's':
		*f &^= newlines
	case 't':
		*f &^= Expanded
	case 'w':
		*f = *f&^newlines | NewlineAnchor
	case 'x':
		*f |= Expanded
	default:
		return false
	}
	return true
}
