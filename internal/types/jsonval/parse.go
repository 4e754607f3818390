package jsonval

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

// Long because a parser and its errors are one recursion, and read in one piece.

// Kind is a JSON value's type, in jsonb's order.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	String
	Number
	Bool
	Array
	Object
)

// Value is a JSON value. Object keys are in jsonb's order, each once.
type Value struct {
	Kind  Kind
	Bool  bool
	Str   string
	Num   *apd.Decimal
	Elems []*Value
	Keys  []string // objects: Keys[i] names Elems[i]
	// Source is the text v was read from, where ParseSource read it.
	Source string
}

// maxDepth bounds nesting, as Postgres's stack depth check does.
//
//saltsql:limit types: nested arrays and objects of a JSON value (54001)
const maxDepth = 6000

// ParseSource is Parse for values that keep the text they were written as.
func ParseSource(s string) (*Value, error) {
	p := &parser{s: s, tree: true, source: true}
	return p.document()
}

// ParseOrdered is ParseSource for values whose members stay as they are written,
// repeated ones too; Field does not work on them.
func ParseOrdered(s string) (*Value, error) {
	p := &parser{s: s, tree: true, source: true, ordered: true}
	return p.document()
}

type parser struct {
	s      string
	pos    int
	tree   bool // build Values; otherwise only validate
	source bool // and keep their text
	// ordered leaves the members of objects in the order of the text.
	ordered bool
	depth   int
}

// Validate checks JSON text: 22P02.
func Validate(s string) error {
	p := &parser{s: s}
	_, err := p.document()
	return err
}

// Parse reads JSON text into a tree, as jsonb does: the last of repeated keys
// wins. 22P02; 22P05 for \u0000.
func Parse(s string) (*Value, error) {
	p := &parser{s: s, tree: true}
	return p.document()
}

func (p *parser) document() (*Value, error) {
	v, err := p.value()
	if err != nil {
		return nil, err
	}
	p.blank()
	if p.pos < len(p.s) {
		tok := p.token()
		return nil, p.fail(`Expected end of input, but found "%s".`, tok)
	}
	return v, nil
}

func (p *parser) blank() {
	for p.pos < len(p.s) {
		switch p.s[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// token gives the lexeme at pos, for messages, and moves past it.
func (p *parser) token() string {
	start := p.pos
	c := p.s[p.pos]
	switch {
	case strings.IndexByte("{}[],:", c) >= 0:
		p.pos++
	case c == '"':
		if _, err := p.str(); err != nil {
			p.pos = len(p.s)
		}
	default:
		for p.pos < len(p.s) && wordByte(p.s[p.pos]) {
			p.pos++
		}
		if p.pos == start {
			_, n := utf8.DecodeRuneInString(p.s[p.pos:])
			p.pos += n
		}
	}
	return p.s[start:p.pos]
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' ||
		c == '-' || c == '+' || c == '.' || c >= 0x80
}

// fail makes the 22P02; the context shows the text up to the fault.
func (p *parser) fail(format string, args ...any) error {
	e := sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type json").WithDetail(format, args...)
	line, start := 1, 0
	end := min(p.pos, len(p.s))
	for i := range end {
		if p.s[i] == '\n' {
			line++
			start = i + 1
		}
	}
	pre, post := "", ""
	if end-start > 50 {
		start = end - 50
		for start < end && !utf8.RuneStart(p.s[start]) {
			start++
		}
		pre = "..."
	}
	if end < len(p.s) && p.s[end] != '\n' && p.s[end] != '\r' {
		post = "..."
	}
	e.Where = "JSON data, line " + itoa(line) + ": " + pre + p.s[start:end] + post
	return e
}

func itoa(n int) string { return numeric.String(apd.New(int64(n), 0)) }

func (p *parser) ended() error {
	return p.fail("The input string ended unexpectedly.")
}

func (p *parser) value() (*Value, error) {
	p.blank()
	start := p.pos
	v, err := p.bare()
	if err == nil && p.source {
		v.Source = p.s[start:p.pos]
	}
	return v, err
}

func (p *parser) bare() (*Value, error) {
	if p.pos >= len(p.s) {
		return nil, p.ended()
	}
	switch c := p.s[p.pos]; {
	case c == '{':
		return p.nested(p.object)
	case c == '[':
		return p.nested(p.array)
	case c == '"':
		s, err := p.str()
		if err != nil {
			return nil, err
		}
		return &Value{Kind: String, Str: s}, nil
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	start := p.pos
	tok := p.token()
	switch tok {
	case "true":
		return &Value{Kind: Bool, Bool: true}, nil
	case "false":
		return &Value{Kind: Bool}, nil
	case "null":
		return &Value{Kind: Null}, nil
	}
	if strings.IndexByte("}],:", p.s[start]) >= 0 {
		return nil, p.fail(`Expected JSON value, but found "%s".`, tok)
	}
	return nil, p.fail(`Token "%s" is invalid.`, tok)
}

func (p *parser) nested(f func() (*Value, error)) (*Value, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded").
			WithHint("JSON may nest %d levels deep.", maxDepth)
	}
	p.pos++
	v, err := f()
	p.depth--
	return v, err
}

func (p *parser) array() (*Value, error) {
	v := &Value{Kind: Array}
	p.blank()
	if p.pos < len(p.s) && p.s[p.pos] == ']' {
		p.pos++
		return v, nil
	}
	for {
		e, err := p.value()
		if err != nil {
			return nil, err
		}
		if p.tree {
			v.Elems = append(v.Elems, e)
		}
		p.blank()
		if p.pos >= len(p.s) {
			return nil, p.ended()
		}
		switch p.s[p.pos] {
		case ',':
			p.pos++
			continue
		case ']':
			p.pos++
			return v, nil
		}
		tok, bad := p.expected()
		if bad != nil {
			return nil, bad
		}
		return nil, p.fail(`Expected "," or "]", but found "%s".`, tok)
	}
}

// expected gives the token found where another was expected; a lexical fault
// comes first.
func (p *parser) expected() (string, error) {
	c := p.s[p.pos]
	if c == '"' {
		if _, err := p.str(); err != nil {
			return "", err
		}
		return "", p.fail("Unexpected string.")
	}
	tok := p.token()
	if strings.IndexByte("{}[],:", c) < 0 && tok != "true" && tok != "false" && tok != "null" && !looksNumber(tok) {
		return "", p.fail(`Token "%s" is invalid.`, tok)
	}
	return tok, nil
}

func (p *parser) object() (*Value, error) {
	v := &Value{Kind: Object}
	p.blank()
	if p.pos < len(p.s) && p.s[p.pos] == '}' {
		p.pos++
		return v, nil
	}
	first := true
	for {
		p.blank()
		if p.pos >= len(p.s) {
			return nil, p.ended()
		}
		if p.s[p.pos] != '"' {
			tok, bad := p.expected()
			if bad != nil {
				return nil, bad
			}
			if first {
				return nil, p.fail(`Expected string or "}", but found "%s".`, tok)
			}
			return nil, p.fail(`Expected string, but found "%s".`, tok)
		}
		first = false
		key, err := p.str()
		if err != nil {
			return nil, err
		}
		p.blank()
		if p.pos >= len(p.s) {
			return nil, p.ended()
		}
		if p.s[p.pos] != ':' {
			start := p.pos
			tok, bad := p.expected()
			if bad != nil && p.s[start] != '"' {
				return nil, bad
			}
			if tok == "" {
				tok = p.s[start:p.pos]
			}
			return nil, p.fail(`Expected ":", but found "%s".`, tok)
		}
		p.pos++
		e, err := p.value()
		if err != nil {
			return nil, err
		}
		if p.tree {
			v.Keys = append(v.Keys, key)
			v.Elems = append(v.Elems, e)
		}
		p.blank()
		if p.pos >= len(p.s) {
			return nil, p.ended()
		}
		switch p.s[p.pos] {
		case ',':
			p.pos++
			continue
		case '}':
			p.pos++
			if p.tree && !p.ordered {
				v.sortKeys()
			}
			return v, nil
		}
		start := p.pos
		tok, bad := p.expected()
		if bad != nil && p.s[start] != '"' {
			return nil, bad
		}
		if tok == "" {
			tok = p.s[start:p.pos]
		}
		return nil, p.fail(`Expected "," or "}", but found "%s".`, tok)
	}
}

func looksNumber(s string) bool {
	i := 0
	if i < len(s) && s[i] == '-' {
		i++
	}
	digits := func() bool {
		st := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return i > st
	}
	if i < len(s) && s[i] == '0' {
		i++
	} else if !digits() {
		return false
	}
	if i < len(s) && s[i] == '.' {
		i++
		if !digits() {
			return false
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if !digits() {
			return false
		}
	}
	return i == len(s)
}

func (p *parser) number() (*Value, error) {
	start := p.pos
	tok := p.token()
	if !looksNumber(tok) {
		return nil, p.fail(`Token "%s" is invalid.`, p.s[start:p.pos])
	}
	if !p.tree {
		return nil, nil
	}
	v := &Value{Kind: Number, Num: new(apd.Decimal)}
	if err := numeric.Parse(v.Num, tok); err != nil {
		return nil, err
	}
	return v, nil
}

// str reads a string that starts at pos.
func (p *parser) str() (string, error) {
	p.pos++
	start := p.pos
	for p.pos < len(p.s) {
		c := p.s[p.pos]
		if c == '"' {
			p.pos++
			return p.s[start : p.pos-1], nil
		}
		if c == '\\' || c < 0x20 {
			break
		}
		p.pos++
	}
	var b []byte
	b = append(b, p.s[start:p.pos]...)
	high := rune(0)
	for p.pos < len(p.s) {
		c := p.s[p.pos]
		if high != 0 && (c != '\\' || p.pos+1 < len(p.s) && p.s[p.pos+1] != 'u') {
			return "", p.fail("Unicode low surrogate must follow a high surrogate.")
		}
		switch {
		case c == '"':
			p.pos++
			return string(b), nil
		case c < 0x20:
			return "", p.fail("Character with value 0x%02x must be escaped.", c)
		case c != '\\':
			b = append(b, c)
			p.pos++
			continue
		}
		p.pos++
		if p.pos >= len(p.s) {
			break
		}
		esc := p.s[p.pos]
		switch esc {
		case '"', '\\', '/':
			b = append(b, esc)
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case 'u':
			r, err := p.hex4()
			if err != nil {
				return "", err
			}
			switch {
			case utf16.IsSurrogate(r) && r < 0xdc00:
				if high != 0 {
					return "", p.fail("Unicode high surrogate must not follow a high surrogate.")
				}
				high = r
				continue
			case utf16.IsSurrogate(r):
				if high == 0 {
					return "", p.fail("Unicode low surrogate must follow a high surrogate.")
				}
				r = utf16.DecodeRune(high, r)
				high = 0
			case high != 0:
				return "", p.fail("Unicode low surrogate must follow a high surrogate.")
			case r == 0 && p.tree:
				return "", sqlerr.New(sqlerr.UntranslatableCharacter, "unsupported Unicode escape sequence").
					WithDetail(`\u0000 cannot be converted to text.`)
			}
			b = utf8.AppendRune(b, r)
			continue
		default:
			_, n := utf8.DecodeRuneInString(p.s[p.pos:])
			p.pos += n
			return "", p.fail(`Escape sequence "\%s" is invalid.`, p.s[p.pos-n:p.pos])
		}
		p.pos++
	}
	p.pos = len(p.s)
	return "", p.fail(`Token "%s" is invalid.`, p.s[start-1:])
}

// hex4 reads the digits after \u, pos at the u.
func (p *parser) hex4() (rune, error) {
	p.pos++
	var r rune
	for range 4 {
		if p.pos >= len(p.s) {
			return 0, p.fail(`"\u" must be followed by four hexadecimal digits.`)
		}
		c := p.s[p.pos]
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, p.fail(`"\u" must be followed by four hexadecimal digits.`)
		}
		p.pos++
	}
	return r, nil
}
