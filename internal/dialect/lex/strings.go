package lex

import (
	"strings"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// quoted reads a '…' string whose quote is at s.i and which is reported from
// `from` on (N'…' has a prefix).
func (s *scanner) quoted(from int) error {
	end, doubled, ok := s.closing(s.i+1, '\'')
	if !ok {
		return s.fail(from, "unterminated quoted string")
	}
	first := s.text[s.i+1 : end-1]
	next := s.continued(end)
	if !doubled && next < 0 && from == s.i {
		s.emit(String, end)
		return nil
	}
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(first, "''", "'"))
	for next >= 0 {
		if end, _, ok = s.closing(next+1, '\''); !ok {
			return s.fail(from, "unterminated quoted string")
		}
		b.WriteString(strings.ReplaceAll(s.text[next+1:end-1], "''", "'"))
		next = s.continued(end)
	}
	v := s.value(b.String())
	s.emit(String, end).Val = v
	return nil
}

// continued gives the offset of the quote that continues a string which ends
// at i: only white space with a newline, and -- comments, may stand between.
// It gives -1 when the string ends here.
func (s *scanner) continued(i int) int {
	newline := false
	for i < len(s.text) {
		switch c := s.text[i]; {
		case c == '\n' || c == '\r':
			newline = true
			i++
		case isSpace(c):
			i++
		case c == '-' && strings.HasPrefix(s.text[i:], "--"):
			i += lineLen(s.text[i:])
		case c == '\'' && newline:
			return i
		default:
			return -1
		}
	}
	return -1
}

// escapeString reads E'…'.
func (s *scanner) escapeString() error {
	var b strings.Builder
	i := s.i + 2
	for {
		if i >= len(s.text) {
			return s.fail(s.start, "unterminated quoted string")
		}
		switch c := s.text[i]; {
		case c == '\'' && i+1 < len(s.text) && s.text[i+1] == '\'':
			b.WriteByte('\'')
			i += 2
		case c == '\'':
			i++
			if next := s.continued(i); next >= 0 {
				i = next + 1
				continue
			}
			v := b.String()
			if !utf8.ValidString(v) {
				at := 0
				for at < len(v) {
					r, n := utf8.DecodeRuneInString(v[at:])
					if r == utf8.RuneError && n <= 1 {
						break
					}
					at += n
				}
				return invalidBytes(v[at:])
			}
			if strings.IndexByte(v, 0) >= 0 {
				return sqlerr.New(sqlerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": 0x00`).At(Position(s.text, s.start))
			}
			val := s.value(v)
			s.emit(String, i).Val = val
			return nil
		case c == '\\':
			n, err := s.escape(&b, i)
			if err != nil {
				return err
			}
			i = n
		default:
			n := strings.IndexAny(s.text[i:], `'\`)
			if n < 0 {
				return s.fail(s.start, "unterminated quoted string")
			}
			b.WriteString(s.text[i : i+n])
			i += n
		}
	}
}

// escape decodes the backslash escape at i and gives the offset after it.
func (s *scanner) escape(b *strings.Builder, i int) (int, error) {
	if i+1 >= len(s.text) {
		return 0, s.fail(s.start, "unterminated quoted string")
	}
	c := s.text[i+1]
	switch c {
	case 'b':
		b.WriteByte('\b')
	case 'f':
		b.WriteByte('\f')
	case 'n':
		b.WriteByte('\n')
	case 'r':
		b.WriteByte('\r')
	case 't':
		b.WriteByte('\t')
	case 'x':
		v, n := hexDigits(s.text[i+2:], 2)
		if n == 0 {
			b.WriteByte('x')
			return i + 2, nil
		}
		b.WriteByte(byte(v))
		return i + 2 + n, nil
	case 'u', 'U':
		want := 4
		if c == 'U' {
			want = 8
		}
		v, n := hexDigits(s.text[i+2:], want)
		if n != want {
			return 0, sqlerr.New(sqlerr.InvalidEscapeSequence, "invalid Unicode escape").
				WithHint(`Unicode escapes must be \uXXXX or \UXXXXXXXX.`).At(Position(s.text, i))
		}
		return s.surrogate(b, v, i, i+2+n, func(at int) (uint32, int) {
			if at+1 < len(s.text) && s.text[at] == '\\' && (s.text[at+1] == 'u' || s.text[at+1] == 'U') {
				want := 4
				if s.text[at+1] == 'U' {
					want = 8
				}
				if v, n := hexDigits(s.text[at+2:], want); n == want {
					return v, at + 2 + n
				}
			}
			return 0, -1
		})
	default:
		if c >= '0' && c <= '7' {
			v, n := 0, 0
			for n < 3 && i+1+n < len(s.text) && s.text[i+1+n] >= '0' && s.text[i+1+n] <= '7' {
				v = v*8 + int(s.text[i+1+n]-'0')
				n++
			}
			b.WriteByte(byte(v))
			return i + 1 + n, nil
		}
		_, n := utf8.DecodeRuneInString(s.text[i+1:])
		b.WriteString(s.text[i+1 : i+1+n])
		return i + 1 + n, nil
	}
	return i + 2, nil
}

// surrogate writes code point v, which was escaped at `at`; the first half of
// a surrogate pair takes the second from next(end).
func (s *scanner) surrogate(b *strings.Builder, v uint32, at, end int, next func(int) (uint32, int)) (int, error) {
	switch {
	case v >= 0xD800 && v < 0xDC00:
		low, after := next(end)
		if after < 0 || low < 0xDC00 || low > 0xDFFF {
			return 0, sqlerr.New(sqlerr.SyntaxError, "invalid Unicode surrogate pair").At(Position(s.text, end))
		}
		v = 0x10000 + (v-0xD800)<<10 + (low - 0xDC00)
		end = after
	case v >= 0xDC00 && v <= 0xDFFF:
		return 0, sqlerr.New(sqlerr.SyntaxError, "invalid Unicode surrogate pair").At(Position(s.text, at))
	case v == 0 || v > utf8.MaxRune:
		return 0, sqlerr.New(sqlerr.SyntaxError, "invalid Unicode escape value").At(Position(s.text, at))
	}
	b.WriteRune(rune(v))
	return end, nil
}

// hexDigits reads up to limit hexadecimal digits.
func hexDigits(s string, limit int) (v uint32, n int) {
	for n < limit && n < len(s) && isHex(s[n]) {
		d := uint32(s[n])
		if d > '9' {
			d = d | 0x20 - 'a' + 10
		} else {
			d -= '0'
		}
		v = v<<4 | d
		n++
	}
	return v, n
}

// unicodeString reads U&'…' or U&"…", with an optional UESCAPE 'c' after it.
func (s *scanner) unicodeString(k Kind) error {
	quote, what := byte('\''), "unterminated quoted string"
	if k == QuotedID {
		quote, what = '"', "unterminated quoted identifier"
	}
	end, _, ok := s.closing(s.i+3, quote)
	if !ok {
		return s.fail(s.i, what)
	}
	bodyAt := s.i + 3
	body := s.text[bodyAt : end-1]
	if k == QuotedID && body == "" {
		return s.failNear(s.i, end, "zero-length delimited identifier")
	}
	esc, end, err := s.uescape(end)
	if err != nil {
		return err
	}
	var b strings.Builder
	for i := 0; i < len(body); {
		c := body[i]
		switch {
		case c == quote:
			b.WriteByte(quote)
			i += 2
		case c != esc:
			b.WriteByte(c)
			i++
		case i+1 < len(body) && body[i+1] == esc:
			b.WriteByte(esc)
			i += 2
		default:
			v, n := unicodeEscape(body[i+1:])
			if n == 0 {
				return sqlerr.New(sqlerr.SyntaxError, "invalid Unicode escape").
					WithHint(`Unicode escapes must be \XXXX or \+XXXXXX.`).At(Position(s.text, bodyAt+i))
			}
			after, err := s.surrogate(&b, v, bodyAt+i, bodyAt+i+1+n, func(at int) (uint32, int) {
				if at-bodyAt < len(body) && s.text[at] == esc {
					if v, n := unicodeEscape(body[at-bodyAt+1:]); n > 0 {
						return v, at + 1 + n
					}
				}
				return 0, -1
			})
			if err != nil {
				return err
			}
			i = after - bodyAt
		}
	}
	val := s.value(b.String())
	s.emit(k, end).Val = val
	return nil
}

// unicodeEscape reads XXXX or +XXXXXX; n is the length, 0 for neither.
func unicodeEscape(s string) (v uint32, n int) {
	if strings.HasPrefix(s, "+") {
		if v, n = hexDigits(s[1:], 6); n == 6 {
			return v, 7
		}
		return 0, 0
	}
	if v, n = hexDigits(s, 4); n == 4 {
		return v, 4
	}
	return 0, 0
}

// uescape reads UESCAPE 'c' after offset end, if it is there.
func (s *scanner) uescape(end int) (byte, int, error) {
	save := s.i
	s.i = end
	err := s.skip()
	at := s.i
	s.i, s.start = save, save
	if err != nil || len(s.text) < at+7 || !strings.EqualFold(s.text[at:at+7], "uescape") ||
		at+7 < len(s.text) && isIdentPart(s.text[at+7]) {
		return '\\', end, nil
	}
	s.i = at + 7
	err = s.skip()
	q := s.i
	s.i, s.start = save, save
	if err != nil || q >= len(s.text) || s.text[q] != '\'' {
		return 0, 0, s.failNear(at, at+7, "UESCAPE must be followed by a simple string literal")
	}
	close, _, ok := s.closing(q+1, '\'')
	if !ok {
		return 0, 0, s.fail(q, "unterminated quoted string")
	}
	if close != q+3 || strings.IndexByte("+'\" \t\n\r\f\v", s.text[q+1]) >= 0 || isHex(s.text[q+1]) || s.text[q+1] >= 0x80 {
		return 0, 0, s.failNear(q, close, "invalid Unicode escape character")
	}
	return s.text[q+1], close, nil
}

// radix reads 0x…, 0o… and 0b… integers (Postgres 16); their value is decimal.
func (s *scanner) radix() (bool, error) {
	base := 0
	switch s.at(1) | 0x20 {
	case 'x':
		base = 16
	case 'o':
		base = 8
	case 'b':
		base = 2
	default:
		return false, nil
	}
	end := s.identEnd(s.i + 1)
	v, ok := parseRadix(s.text[s.i+2:end], base)
	if !ok {
		return false, s.failNear(s.i, end, "trailing junk after numeric literal")
	}
	val := s.value(v)
	s.emit(Int, end).Val = val
	return true, nil
}
