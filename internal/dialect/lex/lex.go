package lex

import (
	"strings"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Position turns a byte offset into a 1-based character position.
func Position(text string, offset int) int {
	if offset > len(text) {
		offset = len(text)
	}
	return utf8.RuneCountInString(text[:offset]) + 1
}

// Read reads text into t, reusing its slices. Errors are *sqlerr.Error with a
// position. Match is set for every bracket that has a partner of its kind.
func (t *Tokens) Read(text string) error {
	t.Text = text
	t.Toks, t.Values, t.Hints, t.open = t.Toks[:0], t.Values[:0], t.Hints[:0], t.open[:0]
	if err := checkEncoding(text); err != nil {
		return err
	}
	s := scanner{t: t, text: text}
	for {
		if err := s.skip(); err != nil {
			return err
		}
		if s.i >= len(text) {
			break
		}
		if err := s.token(); err != nil {
			return err
		}
	}
	s.emit(EOF, len(text))
	return nil
}

func checkEncoding(text string) error {
	if strings.IndexByte(text, 0) >= 0 {
		return sqlerr.New(sqlerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": 0x00`)
	}
	if utf8.ValidString(text) {
		return nil
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && n <= 1 {
			return invalidBytes(text[i:])
		}
		i += n
	}
	return nil
}

// invalidBytes names the bad sequence at the start of s as Postgres does: as
// many bytes as its first byte announces.
func invalidBytes(s string) error {
	n := 1
	switch c := s[0]; {
	case c&0xe0 == 0xc0:
		n = 2
	case c&0xf0 == 0xe0:
		n = 3
	case c&0xf8 == 0xf0:
		n = 4
	}
	n = min(n, len(s))
	var b strings.Builder
	const hex = "0123456789abcdef"
	for i := 0; i < n; i++ {
		b.WriteString(" 0x")
		b.WriteByte(hex[s[i]>>4])
		b.WriteByte(hex[s[i]&15])
	}
	return sqlerr.New(sqlerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8":%s`, b.String())
}

// scanner reads one text.
type scanner struct {
	t     *Tokens
	text  string
	i     int // the next byte
	start int // the current token's first byte
}

func (s *scanner) emit(k Kind, end int) *Token {
	s.t.Toks = append(s.t.Toks, Token{Start: int32(s.start), End: int32(end), Match: -1, Kind: k})
	s.i = end
	s.start = end
	return &s.t.Toks[len(s.t.Toks)-1]
}

func (s *scanner) fail(at int, what string) error {
	return sqlerr.New(sqlerr.SyntaxError, `%s at or near "%s"`, what, s.text[at:]).At(Position(s.text, at))
}

// failNear names text[at:end] only.
func (s *scanner) failNear(at, end int, what string) error {
	return sqlerr.New(sqlerr.SyntaxError, `%s at or near "%s"`, what, s.text[at:end]).At(Position(s.text, at))
}

func isSpace(c byte) bool {
	return c == ' ' || c >= '\t' && c <= '\r'
}

// skip passes white space and comments.
func (s *scanner) skip() error {
	for s.i < len(s.text) {
		c := s.text[s.i]
		switch {
		case isSpace(c):
			s.i++
		case c == '-' && strings.HasPrefix(s.text[s.i:], "--"):
			s.i += lineLen(s.text[s.i:])
		case c == '/' && strings.HasPrefix(s.text[s.i:], "/*"):
			if err := s.comment(); err != nil {
				return err
			}
		default:
			s.start = s.i
			return nil
		}
	}
	s.start = s.i
	return nil
}

// lineLen is the length of text up to the end of its line.
func lineLen(text string) int {
	if n := strings.IndexAny(text, "\r\n"); n >= 0 {
		return n
	}
	return len(text)
}

func (s *scanner) comment() error {
	begin, depth, i := s.i, 0, s.i
	for i+1 < len(s.text) {
		switch {
		case s.text[i] == '/' && s.text[i+1] == '*':
			depth++
			i += 2
		case s.text[i] == '*' && s.text[i+1] == '/':
			depth--
			i += 2
		default:
			i++
		}
		if depth == 0 {
			if strings.HasPrefix(s.text[begin:], "/*+") {
				s.t.Hints = append(s.t.Hints, Hint{Next: len(s.t.Toks), Start: int32(begin + 3), End: int32(max(begin+3, i-2))})
			}
			s.i = i
			return nil
		}
	}
	return s.fail(begin, "unterminated /* comment")
}

func (s *scanner) token() error {
	c := s.text[s.i]
	switch {
	case isIdentStart(c):
		return s.word()
	case isDigit(c):
		return s.number()
	}
	switch c {
	case '\'':
		return s.quoted(s.i)
	case '"':
		return s.quotedIdent()
	case '$':
		return s.dollar()
	case '.':
		if s.at(1) == '.' {
			s.emit(DotDot, s.i+2)
			return nil
		}
		if isDigit(s.at(1)) {
			return s.number()
		}
		s.emit(Dot, s.i+1)
	case ':':
		switch s.at(1) {
		case ':':
			s.emit(TypeCast, s.i+2)
		case '=':
			s.emit(ColonEq, s.i+2)
		default:
			s.emit(Colon, s.i+1)
		}
	case '(':
		s.bracket(LParen)
	case ')':
		s.unbracket(RParen, LParen)
	case '[':
		s.bracket(LBracket)
	case ']':
		s.unbracket(RBracket, LBracket)
	case ',':
		s.emit(Comma, s.i+1)
	case ';':
		s.emit(Semicolon, s.i+1)
	default:
		if isOpChar(c) {
			s.operator()
			return nil
		}
		_, n := utf8.DecodeRuneInString(s.text[s.i:])
		s.emit(Other, s.i+n)
	}
	return nil
}

// at gives the byte n after the current one, 0 past the end.
func (s *scanner) at(n int) byte {
	if s.i+n < len(s.text) {
		return s.text[s.i+n]
	}
	return 0
}

func (s *scanner) bracket(k Kind) {
	s.t.open = append(s.t.open, int32(len(s.t.Toks)))
	s.emit(k, s.i+1)
}

// unbracket pairs a closing bracket with the innermost open one, if that is of
// its kind; the parser reports the others.
func (s *scanner) unbracket(k, partner Kind) {
	me := int32(len(s.t.Toks))
	tok := s.emit(k, s.i+1)
	if n := len(s.t.open); n > 0 {
		if o := s.t.open[n-1]; s.t.Toks[o].Kind == partner {
			s.t.open = s.t.open[:n-1]
			s.t.Toks[o].Match = me
			tok.Match = o
		}
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isIdentStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func isIdentPart(c byte) bool { return classes[c]&identPart != 0 }

func isOpChar(c byte) bool { return classes[c]&opChar != 0 }

// classes says what a byte may be part of.
var classes = func() (t [256]uint8) {
	for i := range t {
		c := byte(i)
		if isIdentStart(c) || isDigit(c) || c == '$' {
			t[i] |= identPart
		}
		if strings.IndexByte("~!@#^&|`?+-*/%<>=", c) >= 0 {
			t[i] |= opChar
		}
	}
	return t
}()

const (
	identPart = 1 << iota
	opChar
)

// operator reads the longest operator, by Postgres's rules: it stops before a
// comment, and a multi-character operator ends in + or - only if it also holds
// one of ~ ! @ # % ^ & | ` ?.
func (s *scanner) operator() {
	end := s.i
	if !isOpChar(s.at(1)) {
		s.emit(Op, end+1).Op = opCode(s.text[end : end+1])
		return
	}
	for end < len(s.text) && isOpChar(s.text[end]) {
		if strings.HasPrefix(s.text[end:], "--") || strings.HasPrefix(s.text[end:], "/*") {
			break
		}
		end++
	}
	op := s.text[s.i:end]
	for len(op) > 1 && (op[len(op)-1] == '+' || op[len(op)-1] == '-') && !strings.ContainsAny(op, "~!@#%^&|`?") {
		op = op[:len(op)-1]
	}
	end = s.i + len(op)
	if op == "=>" {
		s.emit(Arrow, end)
		return
	}
	s.emit(Op, end).Op = opCode(op)
}

func opCode(op string) OpCode {
	if len(op) == 1 {
		switch op[0] {
		case '+':
			return OpAdd
		case '-':
			return OpSub
		case '*':
			return OpMul
		case '/':
			return OpDiv
		case '%':
			return OpMod
		case '^':
			return OpPow
		case '<':
			return OpLT
		case '>':
			return OpGT
		case '=':
			return OpEQ
		}
		return OpOther
	}
	switch op {
	case "<=":
		return OpLE
	case ">=":
		return OpGE
	case "<>", "!=":
		return OpNE
	}
	return OpOther
}
