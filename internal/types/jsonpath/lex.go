package jsonpath

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

type kind uint8

const (
	tEnd kind = iota
	tIdent
	tString
	tVariable
	tNumeric
	tInt
	tOp // text is the operator
	tKeyword
)

// token is a lexeme. near is what a syntax error at it shows, as PostgreSQL's scanner has
// it at hand: the blanks behind a name, nothing for a name that something else ends.
type token struct {
	kind kind
	text string // of names and strings: their value
	word string // of keywords: in small letters
	near string
}

// keywords are methods too. Those that are true may be written in capitals.
var keywords = map[string]bool{
	"is": true, "to": true, "abs": true, "lax": true, "flag": true, "last": true, "null": false, "size": true, "true": false,
	"type": true, "with": true, "false": false, "floor": true, "double": true, "exists": true, "starts": true, "strict": true,
	"ceiling": true, "unknown": true, "datetime": true, "keyvalue": true, "like_regex": true,
}

type lexer struct {
	s   string
	pos int
}

const specials = "?%$.[]{}()|&!=<>@#,*:-+/"

func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'
}

// isOther says that c may stand in a name.
func isOther(c byte) bool {
	return !isBlank(c) && c != '\\' && c != '"' && strings.IndexByte(specials, c) < 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

func (l *lexer) at(i int) byte {
	if l.pos+i < len(l.s) {
		return l.s[l.pos+i]
	}
	return 0
}

func (l *lexer) has(prefix string) bool { return strings.HasPrefix(l.s[l.pos:], prefix) }

// syntax is a 42601 that shows what stands where it was found.
func syntax(msg, near string) error {
	if near == "" {
		return sqlerr.New(sqlerr.SyntaxError, "%s at end of jsonpath input", msg)
	}
	return sqlerr.New(sqlerr.SyntaxError, `%s at or near "%s" of jsonpath input`, msg, strings.ToValidUTF8(near, ""))
}

func (l *lexer) next() (token, error) {
	for l.pos < len(l.s) {
		c := l.s[l.pos]
		switch {
		case isBlank(c):
			l.pos++
		case l.has("/*"):
			if err := l.comment(); err != nil {
				return token{}, err
			}
		case c == '"':
			l.pos++
			return l.quoted(tString)
		case l.has(`$"`):
			l.pos += 2
			return l.quoted(tVariable)
		case c == '$' && l.pos+1 < len(l.s) && isOther(l.s[l.pos+1]):
			text := l.s[l.pos : l.pos+1+l.others(1)]
			l.pos += len(text)
			return token{kind: tVariable, text: text[1:], near: text}, nil
		case c == '.' && isDigit(l.at(1)) || isDigit(c):
			if tok, found, err := l.number(); found || err != nil {
				return tok, err
			}
			if tok, found, err := l.name(); found || err != nil {
				return tok, err
			}
		case strings.IndexByte(specials, c) >= 0:
			return l.operator(), nil
		default:
			if tok, found, err := l.name(); found || err != nil {
				return tok, err
			}
		}
	}
	return token{}, nil
}

func (l *lexer) comment() error {
	end := strings.Index(l.s[l.pos+2:], "*/")
	if end < 0 {
		return syntax("unexpected end of comment", "")
	}
	l.pos += 2 + end + 2
	return nil
}

func (l *lexer) operator() token {
	for _, op := range []string{"&&", "||", "**", "<=", "==", "<>", "!=", ">="} {
		if l.has(op) {
			l.pos += 2
			if op == "<>" {
				return token{kind: tOp, text: "!=", near: op}
			}
			return token{kind: tOp, text: op, near: op}
		}
	}
	l.pos++
	op := l.s[l.pos-1 : l.pos]
	return token{kind: tOp, text: op, near: op}
}

// others counts the bytes of names from pos+from on.
func (l *lexer) others(from int) int {
	n := 0
	for l.pos+from+n < len(l.s) && isOther(l.s[l.pos+from+n]) {
		n++
	}
	return n
}

// number reads a number, unless more than its first bytes are those of a name: 1ab is one,
// 1a is neither.
func (l *lexer) number() (tok token, found bool, err error) {
	digits := func(i int) int {
		for isDigit(l.at(i)) {
			i++
		}
		return i
	}
	n, whole := 0, true
	switch {
	case l.at(0) == '.':
	case l.at(0) == '0':
		n = 1
	default:
		n = digits(0)
	}
	if l.at(n) == '.' {
		whole = false
		n = digits(n + 1)
	}
	if c := l.at(n); c == 'e' || c == 'E' {
		e := n + 1
		if l.at(e) == '+' || l.at(e) == '-' {
			e++
		}
		switch {
		case isDigit(l.at(e)):
			n, whole = digits(e), false
		case e > n+1:
			return token{}, false, syntax("invalid numeric literal", l.s[l.pos:l.pos+e])
		}
	}
	name := l.others(0)
	junk := l.pos+n < len(l.s) && isOther(l.s[l.pos+n])
	length := n
	if junk {
		length++
	}
	if name > length {
		return token{}, false, nil
	}
	text := l.s[l.pos : l.pos+length]
	if junk {
		return token{}, false, syntax("trailing junk after numeric literal", text)
	}
	l.pos += n
	if whole {
		return token{kind: tInt, text: text, near: text}, true, nil
	}
	return token{kind: tNumeric, text: text, near: text}, true, nil
}

// name reads a name or a keyword. A comment right behind it swallows it, as in PostgreSQL.
func (l *lexer) name() (tok token, found bool, err error) {
	var b []byte
	for l.pos < len(l.s) {
		c := l.s[l.pos]
		switch {
		case isBlank(c):
			start := l.pos
			for l.pos < len(l.s) && isBlank(l.s[l.pos]) {
				l.pos++
			}
			return word(string(b), l.s[start:l.pos]), true, nil
		case c == '\\':
			if b, err = l.escape(b); err != nil {
				return token{}, false, err
			}
		case l.has("/*"):
			return token{}, false, l.comment()
		case isOther(c):
			n := l.others(0)
			b = append(b, l.s[l.pos:l.pos+n]...)
			l.pos += n
		default:
			return word(string(b), ""), true, nil
		}
	}
	return word(string(b), ""), true, nil
}

func word(s, near string) token {
	if len(s) <= len("like_regex") {
		small := strings.ToLower(s)
		if anyCase, ok := keywords[small]; ok && (anyCase || s == small) && len(small) == len(s) {
			return token{kind: tKeyword, text: s, word: small, near: near}
		}
	}
	return token{kind: tIdent, text: s, near: near}
}

func (l *lexer) quoted(k kind) (token, error) {
	var b []byte
	for l.pos < len(l.s) {
		switch c := l.s[l.pos]; c {
		case '"':
			l.pos++
			return token{kind: k, text: string(b), near: `"`}, nil
		case '\\':
			var err error
			if b, err = l.escape(b); err != nil {
				return token{}, err
			}
		default:
			b = append(b, c)
			l.pos++
		}
	}
	return token{}, syntax("unexpected end of quoted string", "")
}

// escape reads what a backslash begins.
func (l *lexer) escape(b []byte) ([]byte, error) {
	if l.pos+1 >= len(l.s) || l.s[l.pos+1] == '\n' {
		return b, syntax("unexpected end after backslash", `\`)
	}
	c := l.s[l.pos+1]
	if i := strings.IndexByte("bfnrtv", c); i >= 0 {
		l.pos += 2
		return append(b, "\b\f\n\r\t\v"[i]), nil
	}
	switch c {
	case 'u':
		return l.unicode(b)
	case 'x':
		n := 2
		for n < 4 && isHex(l.at(n)) {
			n++
		}
		if n < 4 {
			return b, syntax("invalid hex character sequence", l.s[l.pos:l.pos+n])
		}
		r := hexRune(l.s[l.pos+2 : l.pos+4])
		l.pos += 4
		return appendRune(b, r)
	}
	l.pos += 2
	return append(b, c), nil
}

func hexRune(s string) (r rune) {
	for i := range len(s) {
		c := s[i]
		switch {
		case isDigit(c):
			c -= '0'
		default:
			c = c&^0x20 - 'A' + 10
		}
		r = r<<4 | rune(c)
	}
	return r
}

// unicode reads \u escapes that follow each other, by which surrogates pair.
func (l *lexer) unicode(b []byte) ([]byte, error) {
	start := l.pos
	var runes []rune
	for l.has(`\u`) {
		n, digits := 2, 4
		brace := l.at(2) == '{'
		if brace {
			n, digits = 3, 6
		}
		first := n
		for n < first+digits && isHex(l.at(n)) {
			n++
		}
		if !brace && n < first+digits || brace && (n == first || l.at(n) != '}') {
			return b, syntax("invalid unicode sequence", l.s[start:l.pos+n])
		}
		runes = append(runes, hexRune(l.s[l.pos+first:l.pos+n]))
		if brace {
			n++
		}
		l.pos += n
	}
	bad := func(detail string) ([]byte, error) {
		return b, sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type jsonpath").WithDetail("%s", detail)
	}
	const noLow = "Unicode low surrogate must follow a high surrogate."
	high := rune(-1)
	for _, r := range runes {
		switch {
		case utf16.IsSurrogate(r) && r < 0xdc00:
			if high >= 0 {
				return bad("Unicode high surrogate must not follow a high surrogate.")
			}
			high = r
			continue
		case utf16.IsSurrogate(r):
			if high < 0 {
				return bad(noLow)
			}
			r, high = utf16.DecodeRune(high, r), -1
		case high >= 0:
			return bad(noLow)
		}
		var err error
		if b, err = appendRune(b, r); err != nil {
			return b, err
		}
	}
	if high >= 0 {
		return bad(noLow)
	}
	return b, nil
}

func appendRune(b []byte, r rune) ([]byte, error) {
	switch {
	case r == 0:
		return b, sqlerr.New(sqlerr.UntranslatableCharacter, "unsupported Unicode escape sequence").
			WithDetail(`\u0000 cannot be converted to text.`)
	case r > utf8.MaxRune:
		return b, sqlerr.New(sqlerr.SyntaxError, "invalid Unicode code point")
	}
	return utf8.AppendRune(b, r), nil
}
