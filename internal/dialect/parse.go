package dialect

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/mysql"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/dialect/typename"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// MaxStatementSize is the longest text that Parse takes, in bytes.
const MaxStatementSize = 16 << 20

// keepParserBelow is the size of translated text, in bytes, over which a
// parser and its translator are not kept: their stacks stay as large as the
// largest statement made them.
const keepParserBelow = 256 << 10

func init() {
	// A package below the parser opens a listener when this is set.
	_ = os.Unsetenv("GO_FAILPOINTS_HTTP")
}

var translators = sync.Pool{New: func() any { return new(translator) }}

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

// Parse splits text into statements and translates each. Empty statements are
// left out, so the result may be empty. Errors are *sqlerr.Error: 42601 with a
// position, 54000 and 54001 for size and depth, 22021 for text that is not
// UTF-8 or holds a NUL, 0A000 for syntax that can never be served. Like
// Postgres, it gives no statement at all when one of them is wrong.
func Parse(text string) ([]*tree.Statement, error) { return parse(text, nil) }

func parse(text string, traced trace) ([]*tree.Statement, error) {
	var stmts []*tree.Statement
	err := translate(text, func(p *translator) {
		p.traced = traced
		for p.kind() != lex.EOF {
			p.nested = 0
			if p.acceptKind(lex.Semicolon) {
				continue
			}
			st := p.statement()
			st.Side.Notices, p.notices = p.notices, nil
			stmts = append(stmts, st)
			if p.kind() != lex.EOF {
				p.expectKind(lex.Semicolon)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return stmts, nil
}

// ParseExpr translates one expression: a stored DEFAULT or CHECK.
func ParseExpr(text string) (tree.SourceExpr, error) {
	var e tree.SourceExpr
	err := translate(text, func(p *translator) {
		e = p.expression()
		if p.kind() != lex.EOF {
			p.syntaxError()
		}
	})
	return e, err
}

// ParseKeyColumns reads the columns of a key, as in `host, ts DESC`; parentheses may be
// around them.
func ParseKeyColumns(text string) ([]tree.KeyCol, error) {
	var k tree.KeyConstraint
	err := translate(text, func(p *translator) {
		paren := p.acceptKind(lex.LParen)
		p.keyColumns(&k)
		if paren {
			p.expectKind(lex.RParen)
		}
		if p.kind() != lex.EOF {
			p.syntaxError()
		}
	})
	return k.Columns, err
}

// ParseTypeName reads a type name such as "character varying(10)[]".
func ParseTypeName(text string) (*tree.TypeName, error) { return typename.Parse(text) }

// translate runs read over the tokens of text.
func translate(text string, read func(*translator)) (err error) {
	if len(text) > MaxStatementSize {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "statement is too long: %d bytes, the limit is %d", len(text), MaxStatementSize).
			WithHint("Send the rows in several statements, or use COPY.")
	}
	p := translators.Get().(*translator)
	defer func() {
		if r := recover(); r != nil {
			b, ok := r.(bailout)
			if !ok {
				panic(r)
			}
			err = b.err
		}
		if len(text) < keepParserBelow {
			p.release()
			translators.Put(p)
		}
	}()
	p.reset()
	if err := p.lx.Read(text); err != nil {
		return err
	}
	p.toks = p.lx.Toks
	p.index = lex.NewIndex(text)
	p.source.Text, p.source.Index, p.source.ASCII = text, p.index, isASCII(text)
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
func (p *translator) release() {
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
	if cap(p.lx.Toks) > keepPieces {
		p.lx.Toks, p.lx.Values = nil, nil
	}
	if cap(p.source.Spans) > keepPieces {
		p.source.Spans, p.source.Params = nil, nil
	}
	p.toks, p.index, p.lx.Text = nil, nil, ""
	p.source.Text, p.source.Index, p.source.Types, p.source.Inner, p.traced = "", nil, nil, nil, nil
	p.notices, p.hints, p.noticed = nil, nil, 0
}

// beginStatement starts a statement at the current token.
func (p *translator) beginStatement() *tree.Statement {
	return &tree.Statement{Offset: int(p.src())}
}

// endStatement takes the text up to the last token read, and what was noted.
func (p *translator) endStatement(st *tree.Statement) {
	end := st.Offset
	if p.i > 0 {
		end = max(end, int(p.toks[p.i-1].End))
	}
	st.Text = p.lx.Text[st.Offset:end]
	st.Side.Hints = p.hints
	p.hints = nil
}

// compile renders the pieces from a mark on, has them parsed, and decodes what
// the grammar made of them.
func (p *translator) compile(at int, st *tree.Statement) tree.DML {
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
		p.fail(sqlerr.Internal(fmt.Errorf("%w: %.2000s", err, text), "the statement could not be translated").
			At(p.pos(int32(st.Offset))))
	}
	if p.traced != nil {
		p.traced(d, text, p.source.Params)
	}
	return d
}

// statement translates the statement at the current token.
func (p *translator) statement() *tree.Statement {
	p.enter()
	defer p.leave()
	st := p.beginStatement()
	if p.startsDML() {
		st.DML = p.dmlTree(st)
	} else {
		st.Utility = p.utility()
	}
	st.NumParams = max(st.NumParams, p.nested)
	p.nested = max(p.nested, st.NumParams)
	p.endStatement(st)
	return st
}

// startsDML tells whether a query or DML begins here.
func (p *translator) startsDML() bool {
	t := p.tok()
	if t.Kind == lex.LParen || startsQuery(t) {
		return true
	}
	switch t.Keyword {
	case lex.KUpdate, lex.KDelete:
		return !p.atPhoenix()
	case lex.KInsert, lex.KMerge:
		return true
	}
	return p.word("upsert")
}

// dmlTree translates a query or DML statement.
func (p *translator) dmlTree(st *tree.Statement) tree.DML {
	at := p.mark()
	if p.kw() == lex.KMerge {
		return p.merge(nil, st)
	}
	if p.dml(); p.kw() == lex.KMerge {
		return p.merge(p.cut(at), st)
	}
	return p.compile(at, st)
}

// dml emits a query or DML statement; of MERGE, the WITH clause before it.
func (p *translator) dml() {
	if p.kw() == lex.KWith {
		// Which statement it is stands after the WITH clause.
		at, src := p.mark(), p.src()
		h := p.withClause()
		switch {
		case p.kw() == lex.KInsert || p.word("upsert"):
			p.insert(p.cut(at))
			return
		case p.kw() == lex.KUpdate:
			p.update(p.cut(at))
			return
		case p.kw() == lex.KDelete:
			p.delete(p.cut(at))
			return
		}
		if p.kw() == lex.KMerge {
			return
		}
		q := p.queryAfterWith(src, h)
		p.finish(&q)
		return
	}
	switch {
	case p.kw() == lex.KInsert || p.word("upsert"):
		p.insert(nil)
	case p.kw() == lex.KUpdate:
		p.update(nil)
	case p.kw() == lex.KDelete:
		p.delete(nil)
	default:
		p.fullQuery()
	}
}

// expression translates an expression that stands in a DDL or utility
// statement.
func (p *translator) expression() tree.SourceExpr { return p.expressionBy(p.expr) }

// expressionBy is expression with the walker to use.
func (p *translator) expressionBy(walk func() ex) tree.SourceExpr {
	st := p.beginStatement()
	at := p.mark()
	p.raw("SELECT ")
	walk()
	sel, _ := p.compile(at, st).(*tree.Select)
	hints := p.hints
	p.endStatement(st)
	p.hints = hints
	p.nested = max(p.nested, st.NumParams)
	return tree.SourceExpr{Node: sel.Items[0].Expr, Text: st.Text, Pos: p.pos(int32(st.Offset)), NumParams: st.NumParams}
}

func upper(s string) string { return strings.ToUpper(s) }
