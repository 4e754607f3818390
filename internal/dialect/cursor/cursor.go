package cursor

import (
	"strconv"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Cursor stands at a token of one text. It is not safe for two goroutines.
type Cursor struct {
	Lex    lex.Tokens
	Tokens []lex.Token
	At     int // the current token

	depth   int
	notices []*sqlerr.Error
	noticed int32 // the end of the last token that a notice is about

	databases []tree.Database

	Index *lex.Index // of a long text, for positions
	ASCII bool
}

// bailout carries a *sqlerr.Error from any depth of what reads to catch.
type bailout struct{ err *sqlerr.Error }

func (p *Cursor) Fail(err *sqlerr.Error) { panic(bailout{err}) }

// Catch, deferred, ends what fail has begun.
func Catch(err *error) {
	if r := recover(); r != nil {
		b, ok := r.(bailout)
		if !ok {
			panic(r)
		}
		*err = b.err
	}
}

// Read puts the cursor at the first token of text.
func (p *Cursor) Read(text string) error {
	p.At, p.depth, p.notices, p.noticed, p.databases = 0, 0, nil, 0, nil
	if err := p.Lex.Read(text); err != nil {
		return err
	}
	p.Tokens, p.Index, p.ASCII = p.Lex.Toks, lex.NewIndex(text), isASCII(text)
	return nil
}

// Release drops what a text has left, and what is longer than keep tokens.
func (p *Cursor) Release(keep int) {
	if cap(p.Lex.Toks) > keep {
		p.Lex.Toks, p.Lex.Values = nil, nil
	}
	p.Tokens, p.Index, p.Lex.Text = nil, nil, ""
	p.notices, p.databases = nil, nil
}

// TakeNotices gives what was noted since it was last asked.
func (p *Cursor) TakeNotices() []*sqlerr.Error {
	l := p.notices
	p.notices = nil
	return l
}

// Pos turns a byte offset into a 1-based character position.
func (p *Cursor) Pos(offset int32) int {
	if p.ASCII {
		return int(offset) + 1
	}
	return p.Index.Position(p.Lex.Text, int(offset))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Here is the position of the current token.
func (p *Cursor) Here() int { return p.Pos(p.Tokens[p.At].Start) }

func (p *Cursor) Token() *lex.Token { return &p.Tokens[p.At] }

// Keyword is the current token's key word, or 0.
func (p *Cursor) Keyword() lex.Keyword { return p.Tokens[p.At].Keyword }

func (p *Cursor) Kind() lex.Kind { return p.Tokens[p.At].Kind }

// Offset is the current token's offset.
func (p *Cursor) Offset() int32 { return p.Tokens[p.At].Start }

// Peek is the token n after the current one; the EOF token repeats.
func (p *Cursor) Peek(n int) *lex.Token {
	return &p.Tokens[min(p.At+n, len(p.Tokens)-1)]
}

func (p *Cursor) Next() {
	if p.At < len(p.Tokens)-1 {
		p.At++
	}
}

func (p *Cursor) Accept(k lex.Keyword) bool {
	if p.Tokens[p.At].Keyword == k {
		p.Next()
		return true
	}
	return false
}

// Accept2 takes two key words in a row, or none.
func (p *Cursor) Accept2(a, b lex.Keyword) bool {
	if p.Keyword() == a && p.Peek(1).Keyword == b {
		p.At += 2
		return true
	}
	return false
}

func (p *Cursor) Expect(k lex.Keyword) {
	if !p.Accept(k) {
		p.SyntaxError()
	}
}

func (p *Cursor) AcceptKind(k lex.Kind) bool {
	if p.Tokens[p.At].Kind == k {
		p.Next()
		return true
	}
	return false
}

func (p *Cursor) ExpectKind(k lex.Kind) {
	if !p.AcceptKind(k) {
		p.SyntaxError()
	}
}

// AcceptOp takes an operator with a precedence of its own.
func (p *Cursor) AcceptOp(op lex.OpCode) bool {
	if t := p.Token(); t.Kind == lex.Op && t.Op == op {
		p.Next()
		return true
	}
	return false
}

// Word tells whether the current token is this unquoted word, which is not
// one of Postgres's key words (Phoenix's are not).
func (p *Cursor) Word(w string) bool { return p.WordAt(0, w) }

func (p *Cursor) WordAt(n int, w string) bool {
	t := p.Peek(n)
	if t.Kind != lex.Ident || int(t.End-t.Start) != len(w) {
		return false
	}
	raw := p.Lex.Raw(*t)
	for i := 0; i < len(w); i++ {
		c := raw[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != w[i] {
			return false
		}
	}
	return true
}

func (p *Cursor) AcceptWord(w string) bool {
	if p.Word(w) {
		p.Next()
		return true
	}
	return false
}

// SyntaxError fails at the current token.
func (p *Cursor) SyntaxError() { p.SyntaxErrorAt(p.At) }

func (p *Cursor) SyntaxErrorAt(i int) {
	t := p.Tokens[i]
	if t.Kind == lex.EOF {
		p.Fail(sqlerr.New(sqlerr.SyntaxError, "syntax error at end of input").At(p.Pos(t.Start)))
	}
	p.Fail(sqlerr.New(sqlerr.SyntaxError, `syntax error at or near "%s"`, p.Lex.Raw(t)).At(p.Pos(t.Start)))
}

// ErrorAt fails with 42601 and a message of its own.
func (p *Cursor) ErrorAt(offset int32, format string, args ...any) {
	p.Fail(sqlerr.New(sqlerr.SyntaxError, format, args...).At(p.Pos(offset)))
}

// Unsupported fails with 0A000.
func (p *Cursor) Unsupported(offset int32, what, instead string) {
	p.Fail(sqlerr.Unsupported(what, instead).At(p.Pos(offset)))
}

// MaxDepth is how deep parentheses, subqueries, CASE and the like may nest.
//
//saltsql:limit statements: nested parentheses, subqueries, CASE and the like (54001)
const MaxDepth = 1000

// maxHeight is how high an expression tree may grow through long chains of
// binary operators, which nest to the left: every later pass recurses on it.
//
//saltsql:limit statements: operators of one expression that nest to the left (54001); AND and OR are not counted
const maxHeight = 10000

func (p *Cursor) Enter() {
	p.depth++
	if p.depth > MaxDepth {
		p.TooDeep()
	}
}

func (p *Cursor) Leave() { p.depth-- }

func (p *Cursor) TooDeep() {
	p.Fail(sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded").
		WithHint("Expressions and subqueries may nest %d deep, chains of operators may hold %d operands.", MaxDepth, maxHeight).
		At(p.Here()))
}

// Taller is the height of a node over two others.
func (p *Cursor) Taller(a, b int32) int32 {
	h := max(a, b) + 1
	if h > maxHeight {
		p.TooDeep()
	}
	return h
}

// maxIdentifier is the longest identifier in bytes, as in Postgres.
const maxIdentifier = 63

// Name gives the identifier of a token: folded or unquoted, and cut to the
// length Postgres keeps.
func (p *Cursor) Name(t *lex.Token) string {
	var s string
	if t.Kind == lex.QuotedID {
		s = p.Lex.Value(*t)
	} else {
		s = p.Lex.Raw(*t)
		if t.Upper {
			s = lex.Fold(s)
		}
	}
	if len(s) <= maxIdentifier {
		return s
	}
	n := maxIdentifier
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	if t.End > p.noticed { // a token may be read again
		p.noticed = t.End
		p.notices = append(p.notices, sqlerr.Notice(sqlerr.NameTooLong,
			`identifier "%s" will be truncated to "%s"`, s, s[:n]))
	}
	return s[:n]
}

// IsColID tells whether a token may be a column or table name.
func IsColID(t *lex.Token) bool {
	switch t.Kind {
	case lex.QuotedID:
		return true
	case lex.Ident:
		if t.Keyword == 0 {
			return true
		}
		c := t.Keyword.Category()
		return c == lex.Unreserved || c == lex.ColName
	}
	return false
}

// IsFuncName tells whether a token may be an unqualified function or type name.
func IsFuncName(t *lex.Token) bool {
	switch t.Kind {
	case lex.QuotedID:
		return true
	case lex.Ident:
		if t.Keyword == 0 {
			return true
		}
		c := t.Keyword.Category()
		return c == lex.Unreserved || c == lex.TypeFunc
	}
	return false
}

// IsLabel tells whether a token may follow AS or a dot.
func IsLabel(t *lex.Token) bool { return t.Kind == lex.QuotedID || t.Kind == lex.Ident }

// IsBareLabel tells whether a token may be a column label without AS.
func IsBareLabel(t *lex.Token) bool {
	return t.Kind == lex.QuotedID || t.Kind == lex.Ident && (t.Keyword == 0 || t.Keyword.Bare())
}

// ColID reads a column or table name.
func (p *Cursor) ColID() string {
	if t := p.Token(); IsColID(t) {
		p.Next()
		return p.Name(t)
	}
	p.SyntaxError()
	return ""
}

// Label reads any word or quoted identifier.
func (p *Cursor) Label() string {
	if t := p.Token(); IsLabel(t) {
		p.Next()
		return p.Name(t)
	}
	p.SyntaxError()
	return ""
}

// StringConst reads a string constant.
func (p *Cursor) StringConst() string {
	if t := p.Token(); t.Kind == lex.String {
		p.Next()
		return p.Lex.Value(*t)
	}
	p.SyntaxError()
	return ""
}

// IntConst reads an unsigned integer of at most 31 bits.
func (p *Cursor) IntConst() int {
	t := p.Token()
	if t.Kind == lex.Int {
		if n, err := strconv.ParseInt(p.Lex.Value(*t), 10, 32); err == nil {
			p.Next()
			return int(n)
		}
	}
	p.SyntaxError()
	return 0
}

// ColIDList reads ( name, … ).
func (p *Cursor) ColIDList() []string {
	p.ExpectKind(lex.LParen)
	var names []string
	for {
		names = append(names, p.ColID())
		if !p.AcceptKind(lex.Comma) {
			break
		}
	}
	p.ExpectKind(lex.RParen)
	return names
}

// Qualified reads name, schema.name or database.schema.name.
func (p *Cursor) Qualified() tree.Name {
	at := p.Offset()
	n := tree.Name{Name: p.ColID(), Pos: p.Pos(at)}
	if p.AcceptKind(lex.Dot) {
		n.Schema, n.Name = n.Name, p.Label()
		if p.Kind() == lex.Dot {
			parts := []string{n.Schema, n.Name}
			for p.AcceptKind(lex.Dot) {
				parts = append(parts, p.Label())
			}
			parts = p.InDatabase(at, 2, parts, "")
			of := &p.databases[len(p.databases)-1].Of
			*of = `"` + *of + `"` // PostgreSQL quotes what a relation may have
			n.Schema, n.Name = parts[0], parts[1]
		}
	}
	return n
}
