package jsonval

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// kind is what a token is.
type kind byte

const (
	begin kind = iota // no token has been read
	end
	text // a string
	number
	word // true, false or null
	punct
)

// lexer reads tokens as PostgreSQL's JSON lexer does: one ahead of the grammar, so that of
// two faults that of the lexer is told, and with tokens of its shape where they are wrong.
type lexer struct {
	s      string
	decode bool // strings are decoded, and their escapes must stand for text

	tok        kind
	start, pos int    // of the token and behind it
	before     int    // behind the token before it
	str        string // of text, decoded
	line       int    // newlines before it
	lineStart  int
}

// token is the text of the token.
func (l *lexer) token() string { return l.s[l.start:l.pos] }

// at says that the token is the punctuation c.
func (l *lexer) at(c byte) bool { return l.tok == punct && l.s[l.start] == c }

// next reads a token: 22P02; 22P05 for a decoded \u0000.
func (l *lexer) next() error {
	at := l.pos
	for ; at < len(l.s) && (l.s[at] == ' ' || l.s[at] == '\t' || l.s[at] == '\n' || l.s[at] == '\r'); at++ {
		if l.s[at] == '\n' {
			l.line, l.lineStart = l.line+1, at+1
		}
	}
	l.start = at
	if at == len(l.s) {
		l.before, l.pos, l.tok = l.pos, at, end
		return nil
	}
	switch l.s[at] {
	case '{', '}', '[', ']', ',', ':':
		l.tokenEnds(at+1, punct)
		return nil
	case '"':
		return l.readString(at + 1)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return l.readNumber(at)
	}
	for at < len(l.s) && wordByte(l.s[at]) {
		at++
	}
	if at == l.start {
		at++
	}
	switch l.s[l.start:at] {
	case "true", "false", "null":
		l.tokenEnds(at, word)
		return nil
	}
	return l.invalid(at)
}

func (l *lexer) tokenEnds(at int, k kind) { l.before, l.pos, l.tok = l.pos, at, k }

// invalid refuses the token, which ends at at.
func (l *lexer) invalid(at int) error {
	l.pos = at
	return l.fail(`Token "%s" is invalid.`, l.token())
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

// readNumber reads a number at at. What is wrong ends behind the letters and digits that follow.
func (l *lexer) readNumber(at int) error {
	digits := func() bool {
		from := at
		for at < len(l.s) && l.s[at] >= '0' && l.s[at] <= '9' {
			at++
		}
		return at > from
	}
	is := func(chars string) bool {
		if at == len(l.s) || strings.IndexByte(chars, l.s[at]) < 0 {
			return false
		}
		at++
		return true
	}
	is("-")
	ok := is("0") || digits()
	if is(".") {
		ok = digits() && ok
	}
	if is("eE") {
		is("+-")
		ok = digits() && ok
	}
	for ; at < len(l.s) && wordByte(l.s[at]); at++ {
		ok = false
	}
	if !ok {
		return l.invalid(at)
	}
	l.tokenEnds(at, number)
	return nil
}

// readString reads a string whose first character is at at.
func (l *lexer) readString(at int) error {
	from := at
	for at < len(l.s) && l.s[at] != '"' && l.s[at] != '\\' && l.s[at] >= 0x20 {
		at++
	}
	if at < len(l.s) && l.s[at] == '"' {
		l.str = l.s[from:at]
		l.tokenEnds(at+1, text)
		return nil
	}
	b := []byte(l.s[from:at])
	high := rune(0) // the first of a pair of surrogates
	for at < len(l.s) && l.s[at] != '"' {
		c := l.s[at]
		switch at++; {
		case c < 0x20:
			l.pos = at - 1
			return l.fail("Character with value 0x%02x must be escaped.", c)
		case c != '\\':
			if high != 0 {
				return l.failBehind(at-1, noLow)
			}
			b = append(b, c)
			continue
		case at == len(l.s):
			return l.invalid(at)
		}
		if c = l.s[at]; c == 'u' {
			r, err := l.hex4(at + 1)
			if err != nil {
				return err
			}
			at += 5
			if !l.decode {
				continue
			}
			switch {
			case utf16.IsSurrogate(r) && r < 0xdc00:
				if high != 0 {
					return l.failBehind(at-1, "Unicode high surrogate must not follow a high surrogate.")
				}
				high = r
				continue
			case utf16.IsSurrogate(r) && high != 0:
				r, high = utf16.DecodeRune(high, r), 0
			case utf16.IsSurrogate(r) || high != 0:
				return l.failBehind(at-1, noLow)
			case r == 0:
				e := l.failBehind(at-1, `\u0000 cannot be converted to text.`)
				e.Code, e.Message = sqlerr.UntranslatableCharacter, "unsupported Unicode escape sequence"
				return e
			}
			b = utf8.AppendRune(b, r)
			continue
		}
		if high != 0 {
			return l.failBehind(at, noLow)
		}
		i := strings.IndexByte(`"\/bfnrt`, c)
		if i < 0 {
			_, n := utf8.DecodeRuneInString(l.s[at:])
			return l.failBehind(at, `Escape sequence "\%s" is invalid.`, l.s[at:at+n])
		}
		b = append(b, "\"\\/\b\f\n\r\t"[i])
		at++
	}
	if at == len(l.s) {
		return l.invalid(at)
	}
	if high != 0 {
		return l.failBehind(at, noLow)
	}
	l.str = string(b)
	l.tokenEnds(at+1, text)
	return nil
}

const noLow = "Unicode low surrogate must follow a high surrogate."

// hex4 reads the four digits of an escape.
func (l *lexer) hex4(at int) (r rune, err error) {
	for range 4 {
		if at == len(l.s) {
			return 0, l.invalid(at)
		}
		switch c := l.s[at]; {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, l.failBehind(at, `"\u" must be followed by four hexadecimal digits.`)
		}
		at++
	}
	return r, nil
}

// failBehind refuses a string for the character at at.
func (l *lexer) failBehind(at int, format string, args ...any) *sqlerr.Error {
	_, n := utf8.DecodeRuneInString(l.s[at:])
	l.pos = at + n
	return l.fail(format, args...)
}

// contextBytes is how much of a line is shown before a fault.
const contextBytes = 50

// fail makes the 22P02; the context shows the line up to the end of the token.
func (l *lexer) fail(format string, args ...any) *sqlerr.Error {
	e := sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type json").WithDetail(format, args...)
	from := l.lineStart
	for l.pos-from >= contextBytes {
		_, n := utf8.DecodeRuneInString(l.s[from:])
		from += n
	}
	if from-l.lineStart <= len("...") {
		from = l.lineStart
	}
	pre, post := "", ""
	if from > l.lineStart {
		pre = "..."
	}
	if l.tok != end && l.pos < len(l.s) && l.s[l.pos] != '\n' && l.s[l.pos] != '\r' {
		post = "..."
	}
	e.Where = "JSON data, line " + strconv.Itoa(l.line+1) + ": " + pre + l.s[min(from, l.pos):l.pos] + post
	return e
}
