package translate

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/mysql"

	"github.com/saltsql/saltsql/internal/dialect/cursor"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Translator reads the statements of one text, and keeps what it has emitted for
// the one that it is in. It is not safe for two goroutines.
type Translator struct {
	cursor.Cursor

	pieces   []piece
	prefixes []prefix
	groups   [][]piece // what was pasted
	buf      []byte

	Nested int // the highest parameter of the statements translated so far
	multi  int // the token where the row of SET (a, b) = row begins, or -1
	hint   int // the next of lx.Hints to look at
	hints  []tree.Hint
	into   *tree.Into // of the statement being read
	intoAt int        // the token of the SELECT that may have it

	source marker.Source // where the pieces rendered last come from

	Traced Trace // of a test, else nil
}

// Trace is called with each text that the grammar has read and what was made of
// it.
type Trace func(d tree.DML, text string, params []marker.Param)

// start begins with the first token of text.
func (p *Translator) start(text string) error {
	p.hint, p.multi, p.hints, p.into, p.intoAt = 0, -1, nil, nil, -1
	p.pieces, p.prefixes, p.groups = p.pieces[:0], p.prefixes[:0], p.groups[:0]
	if err := p.Read(text); err != nil {
		return err
	}
	p.source.Text, p.source.Index, p.source.ASCII = text, p.Index, p.ASCII
	return nil
}

// noteType remembers the type of the cast that src stands for, which the grammar
// carries as text.
func (p *Translator) noteType(src int32, t *tree.TypeName) {
	if p.source.Types == nil {
		p.source.Types = map[int32]*tree.TypeName{}
	}
	p.source.Types[src] = t
}

// MaxTextSize is the longest text of statements, in bytes: 54000 beyond it.
//
//saltsql:limit statements: bytes of a statement's text (54000)
const MaxTextSize = 16 << 20

// keepParserBelow is the size of translated text, in bytes, over which a
// parser and its translator are not kept: their stacks stay as large as the
// largest statement made them.
const keepParserBelow = 256 << 10

func init() {
	// A package below the parser opens a listener when this is set.
	_ = os.Unsetenv("GO_FAILPOINTS_HTTP")
}

var parsers = sync.Pool{New: func() any {
	p := parser.New()
	p.SetSQLMode(mysql.ModeNoBackslashEscapes)
	return p
}}

// forgetAbove is the size of translated text, in bytes, over which a parser's stack
// is cleared: it still refers to the nodes of what was parsed.
const forgetAbove = 4 << 10

// giveBack puts a parser that has read text back into the pool.
func giveBack(p *parser.Parser, text string) {
	if len(text) > forgetAbove {
		p.Reset()
		p.SetSQLMode(mysql.ModeNoBackslashEscapes)
	}
	parsers.Put(p)
}

var translators = sync.Pool{New: func() any { return new(Translator) }}

// WithText calls read at the first token of text.
func WithText(text string, read func(*Translator)) (err error) {
	if len(text) > MaxTextSize {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "statement is too long: %d bytes, the limit is %d", len(text), MaxTextSize).
			WithHint("Send the rows in several statements, or use COPY.")
	}
	p := translators.Get().(*Translator)
	defer func() {
		if len(text) < keepParserBelow {
			p.release()
			translators.Put(p)
		}
	}()
	defer cursor.Catch(&err)
	if err := p.start(text); err != nil {
		return err
	}
	read(p)
	return nil
}

// keepPieces and keepGroups are how many a translator in the pool may have room for.
const (
	keepPieces = 64 << 10
	keepGroups = 1 << 10
)

// release drops what would keep much memory alive in the pool. The pieces of
// the last text may stay: it was shorter than keepParserBelow.
func (p *Translator) release() {
	if cap(p.pieces) > keepPieces {
		p.pieces = nil
	}
	if cap(p.prefixes) > keepPieces {
		p.prefixes = nil
	}
	if cap(p.groups) > keepGroups {
		p.groups = nil
	}
	clear(p.groups[:cap(p.groups)])
	if cap(p.source.Spans) > keepPieces {
		p.source.Spans, p.source.Params = nil, nil
	}
	p.source.Text, p.source.Index, p.source.Types, p.source.Inner, p.source.Recursions, p.Traced = "", nil, nil, nil, nil, nil
	p.hints = nil
	p.Cursor.Release(keepPieces)
}

// BeginStatement starts a statement at the current token.
func (p *Translator) BeginStatement() *tree.Statement {
	return &tree.Statement{Offset: int(p.Offset())}
}

// EndStatement takes the text up to the last token read, and what was noted.
func (p *Translator) EndStatement(st *tree.Statement) {
	end := st.Offset
	if p.At > 0 {
		end = max(end, int(p.Tokens[p.At-1].End))
	}
	st.Text = p.Lex.Text[st.Offset:end]
	st.Side.Hints = p.hints
	p.hints = nil
}

// Compile renders the pieces from a mark on, has them parsed, and decodes what
// the grammar made of them.
func (p *Translator) Compile(at int, st *tree.Statement) tree.DML {
	text := p.render(at, st)
	tp := parsers.Get().(*parser.Parser)
	nodes, _, err := tp.ParseSQL(text)
	if err == nil && len(nodes) != 1 {
		err = errors.New("not one statement")
	}
	var d tree.DML
	if err == nil {
		d, err = p.source.Statement(nodes[0])
	}
	if len(text) < keepParserBelow {
		giveBack(tp, text)
	}
	if err != nil {
		p.Fail(sqlerr.Internal(fmt.Errorf("%w: %.2000s", err, text), "the statement could not be translated").
			At(p.Pos(int32(st.Offset))))
	}
	if p.Traced != nil {
		p.Traced(d, text, p.source.Params)
	}
	return d
}

// DMLTree translates a query or DML statement.
func (p *Translator) DMLTree(st *tree.Statement) tree.DML {
	at := p.Mark()
	if p.Keyword() == lex.KMerge {
		return p.merge(nil, st)
	}
	if p.dml(); p.Keyword() == lex.KMerge {
		return p.merge(p.cut(at), st)
	}
	return p.Compile(at, st)
}

// dml emits a query or DML statement; of MERGE, the WITH clause before it.
func (p *Translator) dml() {
	if p.Keyword() == lex.KWith {
		// Which statement it is stands after the WITH clause.
		at, src := p.Mark(), p.Offset()
		h := p.withClause()
		switch {
		case p.Keyword() == lex.KInsert || p.Word("upsert"):
			p.insert(p.cut(at))
			return
		case p.Keyword() == lex.KUpdate:
			p.update(p.cut(at))
			return
		case p.Keyword() == lex.KDelete:
			p.delete(p.cut(at))
			return
		}
		if p.Keyword() == lex.KMerge {
			return
		}
		p.intoAt = p.At
		q := p.queryAfterWith(src, h)
		p.finish(&q)
		return
	}
	switch {
	case p.Keyword() == lex.KInsert || p.Word("upsert"):
		p.insert(nil)
	case p.Keyword() == lex.KUpdate:
		p.update(nil)
	case p.Keyword() == lex.KDelete:
		p.delete(nil)
	default:
		p.intoAt = p.At
		p.FullQuery()
	}
}

// AllowInto lets the query that begins here have INTO: see TakeInto.
func (p *Translator) AllowInto() { p.intoAt = p.At }

// TakeInto gives the INTO of the SELECT that was read last; nil where it has none.
func (p *Translator) TakeInto() *tree.Into {
	into := p.into
	p.into = nil
	return into
}

// readInto reads INTO [TEMPORARY | UNLOGGED] [TABLE] name.
func (p *Translator) readInto() *tree.Into {
	p.Next()
	into := &tree.Into{}
	switch k := p.Peek(1).Keyword; p.Keyword() {
	case lex.KTemp, lex.KTemporary:
		p.Next()
		into.Temp = true
	case lex.KLocal, lex.KGlobal:
		if k == lex.KTemp || k == lex.KTemporary {
			p.At += 2
			into.Temp = true
		}
	case lex.KUnlogged:
		p.Next()
		into.Unlogged = true
	}
	p.Accept(lex.KTable)
	into.Name = p.Qualified()
	return into
}

// Expression translates an expression that stands in a DDL or utility
// statement.
func (p *Translator) Expression() tree.SourceExpr { return p.ExpressionBy(p.Expr) }

// ExpressionBy is expression with the walker to use.
func (p *Translator) ExpressionBy(walk func() Expr) tree.SourceExpr {
	st := p.BeginStatement()
	at := p.Mark()
	p.raw("SELECT ")
	walk()
	sel, _ := p.Compile(at, st).(*tree.Select)
	hints := p.hints
	p.EndStatement(st)
	p.hints = hints
	p.Nested = max(p.Nested, st.NumParams)
	return tree.SourceExpr{Node: sel.Items[0].Expr, Text: st.Text, Pos: p.Pos(int32(st.Offset)), NumParams: st.NumParams}
}
