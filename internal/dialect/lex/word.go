package lex

import (
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// word reads an unquoted word, or a string whose opening quote has a prefix.
func (s *scanner) word() error {
	if s.at(1) == '\'' {
		switch s.text[s.i] {
		case 'e', 'E':
			return s.escapeString()
		case 'b', 'B':
			return s.bits(BitString, "unterminated bit string literal")
		case 'x', 'X':
			return s.bits(HexString, "unterminated hexadecimal string literal")
		case 'n', 'N':
			s.i++
			if err := s.quoted(s.start); err != nil {
				return err
			}
			s.t.Toks[len(s.t.Toks)-1].National = true
			return nil
		}
	}
	if c := s.text[s.i]; (c == 'u' || c == 'U') && s.at(1) == '&' {
		switch s.at(2) {
		case '\'':
			return s.unicodeString(String)
		case '"':
			return s.unicodeString(QuotedID)
		}
	}
	var fold [longestKeyword]byte
	end, upper := s.i, false
	for end < len(s.text) && isIdentPart(s.text[end]) {
		c := s.text[end]
		if c >= 'A' && c <= 'Z' {
			upper = true
			c += 'a' - 'A'
		}
		if n := end - s.i; n < longestKeyword {
			fold[n] = c
		}
		end++
	}
	n := end - s.i
	tok := s.emit(Ident, end)
	tok.Upper = upper
	if n <= longestKeyword && keywordLengths[fold[0]&31]&(1<<n) != 0 {
		tok.Keyword = keywordByWord[string(fold[:n])]
	}
	return nil
}

// Fold lowers the ASCII letters of an unquoted identifier.
func Fold(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 'A' && c <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// quotedIdent reads "x".
func (s *scanner) quotedIdent() error {
	end, doubled, ok := s.closing(s.i+1, '"')
	if !ok {
		return s.fail(s.i, "unterminated quoted identifier")
	}
	if end == s.i+2 {
		return s.failNear(s.i, end, "zero-length delimited identifier")
	}
	body := s.text[s.i+1 : end-1]
	tok := s.emit(QuotedID, end)
	if doubled {
		tok.Val = s.value(strings.ReplaceAll(body, `""`, `"`))
	}
	return nil
}

// closing finds the end of a quoted text whose content begins at i: the offset
// after the closing quote. A doubled quote stands for one.
func (s *scanner) closing(i int, quote byte) (end int, doubled, ok bool) {
	for {
		n := strings.IndexByte(s.text[i:], quote)
		if n < 0 {
			return 0, doubled, false
		}
		i += n + 1
		if i >= len(s.text) || s.text[i] != quote {
			return i, doubled, true
		}
		doubled = true
		i++
	}
}

func (s *scanner) value(v string) int32 {
	s.t.Values = append(s.t.Values, v)
	return int32(len(s.t.Values))
}

// number reads an integer, a decimal or a number with an exponent.
func (s *scanner) number() error {
	if s.text[s.i] == '0' {
		if ok, err := s.radix(); ok || err != nil {
			return err
		}
	}
	kind := Int
	end := s.digits(s.i)
	if end < len(s.text) && s.text[end] == '.' && !strings.HasPrefix(s.text[end:], "..") {
		kind = Number
		end = s.digits(end + 1)
	}
	if end < len(s.text) && s.text[end]|0x20 == 'e' {
		exp := end + 1
		if exp < len(s.text) && (s.text[exp] == '+' || s.text[exp] == '-') {
			exp++
		}
		if exp < len(s.text) && isDigit(s.text[exp]) {
			kind = Number
			end = s.digits(exp)
		}
	}
	if end < len(s.text) && isIdentStart(s.text[end]) {
		return s.failNear(s.i, s.identEnd(end), "trailing junk after numeric literal")
	}
	under := strings.IndexByte(s.text[s.i:end], '_') >= 0
	body := s.text[s.i:end]
	tok := s.emit(kind, end)
	if under {
		tok.Val = s.value(strings.ReplaceAll(body, "_", ""))
	}
	return nil
}

// identEnd is the end of the identifier characters from i on.
func (s *scanner) identEnd(i int) int {
	for i < len(s.text) && isIdentPart(s.text[i]) {
		i++
	}
	return i
}

// digits passes digits, with single underscores between them.
func (s *scanner) digits(i int) int {
	for i < len(s.text) {
		c := s.text[i]
		if c == '_' && i > s.start && isDigit(s.text[i-1]) && i+1 < len(s.text) && isDigit(s.text[i+1]) {
			i++
			continue
		}
		if !isDigit(c) {
			break
		}
		i++
	}
	return i
}

// dollar reads $1 or a dollar-quoted string.
func (s *scanner) dollar() error {
	if isDigit(s.at(1)) {
		end := s.i + 1
		for end < len(s.text) && isDigit(s.text[end]) {
			end++
		}
		if end < len(s.text) && isIdentStart(s.text[end]) {
			return s.failNear(s.i, s.identEnd(end), "trailing junk after parameter")
		}
		s.emit(Param, end)
		return nil
	}
	end := s.i + 1
	if end < len(s.text) && isIdentStart(s.text[end]) {
		for end < len(s.text) && (isIdentStart(s.text[end]) || isDigit(s.text[end])) {
			end++
		}
	}
	if end >= len(s.text) || s.text[end] != '$' {
		s.emit(Other, s.i+1)
		return nil
	}
	tag := s.text[s.i : end+1]
	n := strings.Index(s.text[end+1:], tag)
	if n < 0 {
		return s.fail(s.i, "unterminated dollar-quoted string")
	}
	body := s.text[end+1 : end+1+n]
	val := s.value(body)
	s.emit(String, end+1+n+len(tag)).Val = val
	return nil
}

// bits reads B'…' or X'…'; the digits are checked here, as Postgres's input
// functions would.
func (s *scanner) bits(k Kind, unterminated string) error {
	end, _, ok := s.closing(s.i+2, '\'')
	if !ok {
		return s.fail(s.i, unterminated)
	}
	body := s.text[s.i+2 : end-1]
	for i := 0; i < len(body); i++ {
		c := body[i]
		if k == BitString && c != '0' && c != '1' {
			return sqlerr.New(sqlerr.InvalidTextRepresentation, `"%s" is not a valid binary digit`, runeAt(body, i)).At(Position(s.text, s.i))
		}
		if k == HexString && !isHex(c) {
			return sqlerr.New(sqlerr.InvalidTextRepresentation, `"%s" is not a valid hexadecimal digit`, runeAt(body, i)).At(Position(s.text, s.i))
		}
	}
	s.emit(k, end)
	return nil
}

func runeAt(s string, i int) string {
	for _, r := range s[i:] {
		return string(r)
	}
	return ""
}

func isHex(c byte) bool {
	return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f'
}
