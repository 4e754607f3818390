package dialect

import (
	"strconv"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// cursor stands at a token of one text. It is not safe for two goroutines.
type cursor struct {
	lx   lex.Tokens
	toks []lex.Token
	i    int // the current token

	depth   int
	notices []*sqlerr.Error
	noticed int32 // the end of the last token that a notice is about

	index *lex.Index // of a long text, for positions
	ascii bool
}

// bailout carries a *sqlerr.Error from any depth of what reads to catch.
type bailout struct{ err *sqlerr.Error }

func (p *cursor) fail(err *sqlerr.Error) { panic(bailout{err}) }

// catch, deferred, ends what fail has begun.
func catch(err *error) {
	if r := recover(); r != nil {
		b, ok := r.(bailout)
		if !ok {
			panic(r)
		}
		*err = b.err
	}
}

// read puts the cursor at the first token of text.
func (p *cursor) read(text string) error {
	p.i, p.depth, p.notices, p.noticed = 0, 0, nil, 0
	if err := p.lx.Read(text); err != nil {
		return err
	}
	p.toks, p.index, p.ascii = p.lx.Toks, lex.NewIndex(text), isASCII(text)
	return nil
}

// release drops what a text has left, and what is longer than keep tokens.
func (p *cursor) release(keep int) {
	if cap(p.lx.Toks) > keep {
		p.lx.Toks, p.lx.Values = nil, nil
	}
	p.toks, p.index, p.lx.Text = nil, nil, ""
	p.notices = nil
}

// takeNotices gives what was noted since it was last asked.
func (p *cursor) takeNotices() []*sqlerr.Error {
	l := p.notices
	p.notices = nil
	return l
}

// pos turns a byte offset into a 1-based character position.
func (p *cursor) pos(offset int32) int {
	if p.ascii {
		return int(offset) + 1
	}
	return p.index.Position(p.lx.Text, int(offset))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// here is the position of the current token.
func (p *cursor) here() int { return p.pos(p.toks[p.i].Start) }

func (p *cursor) tok() *lex.Token { return &p.toks[p.i] }

// kw is the current token's key word, or 0.
func (p *cursor) kw() lex.Keyword { return p.toks[p.i].Keyword }

func (p *cursor) kind() lex.Kind { return p.toks[p.i].Kind }

// src is the current token's offset.
func (p *cursor) src() int32 { return p.toks[p.i].Start }

// peek is the token n after the current one; the EOF token repeats.
func (p *cursor) peek(n int) *lex.Token {
	return &p.toks[min(p.i+n, len(p.toks)-1)]
}

func (p *cursor) next() {
	if p.i < len(p.toks)-1 {
		p.i++
	}
}

func (p *cursor) accept(k lex.Keyword) bool {
	if p.toks[p.i].Keyword == k {
		p.next()
		return true
	}
	return false
}

// accept2 takes two key words in a row, or none.
func (p *cursor) accept2(a, b lex.Keyword) bool {
	if p.kw() == a && p.peek(1).Keyword == b {
		p.i += 2
		return true
	}
	return false
}

func (p *cursor) expect(k lex.Keyword) {
	if !p.accept(k) {
		p.syntaxError()
	}
}

func (p *cursor) acceptKind(k lex.Kind) bool {
	if p.toks[p.i].Kind == k {
		p.next()
		return true
	}
	return false
}

func (p *cursor) expectKind(k lex.Kind) {
	if !p.acceptKind(k) {
		p.syntaxError()
	}
}

// acceptOp takes an operator with a precedence of its own.
func (p *cursor) acceptOp(op lex.OpCode) bool {
	if t := p.tok(); t.Kind == lex.Op && t.Op == op {
		p.next()
		return true
	}
	return false
}

// word tells whether the current token is this unquoted word, which is not
// one of Postgres's key words (Phoenix's are not).
func (p *cursor) word(w string) bool { return p.wordAt(0, w) }

func (p *cursor) wordAt(n int, w string) bool {
	t := p.peek(n)
	if t.Kind != lex.Ident || int(t.End-t.Start) != len(w) {
		return false
	}
	raw := p.lx.Raw(*t)
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

func (p *cursor) acceptWord(w string) bool {
	if p.word(w) {
		p.next()
		return true
	}
	return false
}

// syntaxError fails at the current token.
func (p *cursor) syntaxError() { p.syntaxErrorAt(p.i) }

func (p *cursor) syntaxErrorAt(i int) {
	t := p.toks[i]
	if t.Kind == lex.EOF {
		p.fail(sqlerr.New(sqlerr.SyntaxError, "syntax error at end of input").At(p.pos(t.Start)))
	}
	p.fail(sqlerr.New(sqlerr.SyntaxError, `syntax error at or near "%s"`, p.lx.Raw(t)).At(p.pos(t.Start)))
}

// errorAt fails with 42601 and a message of its own.
func (p *cursor) errorAt(offset int32, format string, args ...any) {
	p.fail(sqlerr.New(sqlerr.SyntaxError, format, args...).At(p.pos(offset)))
}

// unsupported fails with 0A000.
func (p *cursor) unsupported(offset int32, what, instead string) {
	p.fail(sqlerr.Unsupported(what, instead).At(p.pos(offset)))
}

// maxDepth is how deep parentheses, subqueries, CASE and the like may nest.
const maxDepth = 1000

// maxHeight is how high an expression tree may grow through long chains of
// binary operators, which nest to the left: every later pass recurses on it.
const maxHeight = 10000

func (p *cursor) enter() {
	p.depth++
	if p.depth > maxDepth {
		p.tooDeep()
	}
}

func (p *cursor) leave() { p.depth-- }

func (p *cursor) tooDeep() {
	p.fail(sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded").
		WithHint("Expressions and subqueries may nest %d deep, chains of operators may hold %d operands.", maxDepth, maxHeight).
		At(p.here()))
}

// taller is the height of a node over two others.
func (p *cursor) taller(a, b int32) int32 {
	h := max(a, b) + 1
	if h > maxHeight {
		p.tooDeep()
	}
	return h
}

// maxIdentifier is the longest identifier in bytes, as in Postgres.
const maxIdentifier = 63

// name gives the identifier of a token: folded or unquoted, and cut to the
// length Postgres keeps.
func (p *cursor) name(t *lex.Token) string {
	var s string
	if t.Kind == lex.QuotedID {
		s = p.lx.Value(*t)
	} else {
		s = p.lx.Raw(*t)
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

// isColID tells whether a token may be a column or table name.
func isColID(t *lex.Token) bool {
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

// isFuncName tells whether a token may be an unqualified function or type name.
func isFuncName(t *lex.Token) bool {
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

// isLabel tells whether a token may follow AS or a dot.
func isLabel(t *lex.Token) bool { return t.Kind == lex.QuotedID || t.Kind == lex.Ident }

// isBareLabel tells whether a token may be a column label without AS.
func isBareLabel(t *lex.Token) bool {
	return t.Kind == lex.QuotedID || t.Kind == lex.Ident && (t.Keyword == 0 || t.Keyword.Bare())
}

// colID reads a column or table name.
func (p *cursor) colID() string {
	if t := p.tok(); isColID(t) {
		p.next()
		return p.name(t)
	}
	p.syntaxError()
	return ""
}

// label reads any word or quoted identifier.
func (p *cursor) label() string {
	if t := p.tok(); isLabel(t) {
		p.next()
		return p.name(t)
	}
	p.syntaxError()
	return ""
}

// stringConst reads a string constant.
func (p *cursor) stringConst() string {
	if t := p.tok(); t.Kind == lex.String {
		p.next()
		return p.lx.Value(*t)
	}
	p.syntaxError()
	return ""
}

// intConst reads an unsigned integer of at most 31 bits.
func (p *cursor) intConst() int {
	t := p.tok()
	if t.Kind == lex.Int {
		if n, err := strconv.ParseInt(p.lx.Value(*t), 10, 32); err == nil {
			p.next()
			return int(n)
		}
	}
	p.syntaxError()
	return 0
}

// colIDList reads ( name, … ).
func (p *cursor) colIDList() []string {
	p.expectKind(lex.LParen)
	var names []string
	for {
		names = append(names, p.colID())
		if !p.acceptKind(lex.Comma) {
			break
		}
	}
	p.expectKind(lex.RParen)
	return names
}

// qualified reads name or schema.name.
func (p *cursor) qualified() tree.Name {
	at := p.src()
	n := tree.Name{Name: p.colID(), Pos: p.pos(at)}
	if p.acceptKind(lex.Dot) {
		n.Schema, n.Name = n.Name, p.label()
		if p.kind() == lex.Dot {
			p.unsupported(at, "cross-database references are not implemented", "Write schema.name: a connection sees one database.")
		}
	}
	return n
}
