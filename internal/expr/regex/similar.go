package regex

import (
	"strings"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Similar rewrites a SIMILAR TO pattern as an ARE: the functions
// similar_to_escape and substring(x SIMILAR pattern ESCAPE escape). An empty
// escape means that there is none; "\" is the default. 22025 if escape is longer than one
// character, 2200C for more than two escape-double-quote separators.
func Similar(pattern, escape string) (string, error) {
	esc := rune(-1)
	if escape != "" {
		r, n := utf8.DecodeRuneInString(escape)
		if n != len(escape) {
			return "", sqlerr.New(sqlerr.InvalidEscapeSequence, "invalid escape string").
				WithHint("Escape string must be empty or one character.")
		}
		esc = r
	}
	var b strings.Builder
	b.WriteString("^(?:")
	escaped, separators := false, 0
	bracket := notInBracket
	for _, c := range pattern {
		switch {
		case escaped:
			escaped = false
			if c != '"' || bracket != notInBracket {
				b.WriteByte('\\')
				b.WriteRune(c)
				if bracket != notInBracket {
					bracket = inBracket
				}
				break
			}
			// What stands between two separators is captured: as little as can
			// be before it, as much as can be in it.
			switch separators++; separators {
			case 1:
				b.WriteString("){1,1}?(")
			case 2:
				b.WriteString("){1,1}(?:")
			default:
				return "", sqlerr.New(sqlerr.InvalidUseOfEscape, "SQL regular expression may not contain more than two escape-double-quote separators")
			}
		case c == esc:
			escaped = true
		case bracket != notInBracket:
			if c == '\\' {
				b.WriteByte('\\')
			}
			b.WriteRune(c)
			bracket = bracket.after(c)
		case c == '[':
			b.WriteRune(c)
			bracket = bracketOpened
		case c == '%':
			b.WriteString(".*")
		case c == '_':
			b.WriteByte('.')
		case c == '(':
			b.WriteString("(?:")
		case c == '\\' || c == '.' || c == '^' || c == '$':
			b.WriteByte('\\')
			b.WriteRune(c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteString(")$")
	return b.String(), nil
}

type bracketState uint8

const (
	notInBracket bracketState = iota
	bracketOpened
	inBracket
)

func (s bracketState) after(c rune) bracketState {
	if c == ']' {
		return notInBracket
	}
	return inBracket
}
