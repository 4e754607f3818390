package dialect

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"

	"github.com/saltsql/saltsql/internal/dialect/lex"
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

// giveBack puts a parser back into the pool. Its stack still refers to nodes of
// what it has parsed, and the next parse would write positions into some that it finds
// there: they belong to the statement now.
func giveBack(p *parser.Parser) {
	p.Reset()
	p.SetSQLMode(mysql.ModeNoBackslashEscapes)
	parsers.Put(p)
}

// Parse splits text into statements and translates each. Empty statements are
// left out, so the result may be empty. Errors are *sqlerr.Error: 42601 with a
// position, 54000 and 54001 for size and depth, 22021 for text that is not
// UTF-8 or holds a NUL, 0A000 for syntax that can never be served. Like
// Postgres, it gives no statement at all when one of them is wrong.
func Parse(text string) ([]*Statement, error) {
	var stmts []*Statement
	err := translate(text, func(p *translator) {
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
func ParseExpr(text string) (Expr, error) {
	var e Expr
	err := translate(text, func(p *translator) {
		e = p.expression()
		if p.kind() != lex.EOF {
			p.syntaxError()
		}
	})
	return e, err
}

// ParseTypeName reads a type name such as "character varying(10)[]".
func ParseTypeName(text string) (*TypeName, error) { return typename.Parse(text) }

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
	read(p)
	return nil
}

// keepPieces is how many pieces a translator in the pool may have room for.
const keepPieces = 64 << 10

// release drops what would keep much memory alive in the pool. The pieces of
// the last text may stay: it was shorter than keepParserBelow.
func (p *translator) release() {
	if cap(p.pieces) > keepPieces {
		p.pieces = nil
	}
	if cap(p.prefixes) > keepPieces {
		p.prefixes = nil
	}
	if cap(p.lx.Toks) > keepPieces {
		p.lx.Toks, p.lx.Values = nil, nil
	}
	p.toks, p.index, p.lx.Text = nil, nil, ""
	p.notices, p.hints, p.noticed = nil, nil, 0
}

// beginStatement starts a statement at the current token.
func (p *translator) beginStatement() *Statement {
	return &Statement{Offset: int(p.src()), whole: p.lx.Text, index: p.index}
}

// endStatement takes the text up to the last token read, and what was noted.
func (p *translator) endStatement(st *Statement) {
	end := st.Offset
	if p.i > 0 {
		end = max(end, int(p.toks[p.i-1].End))
	}
	st.Text = p.lx.Text[st.Offset:end]
	st.Side.Hints = p.hints
	p.hints = nil
}

// compile renders the pieces from a mark on and has them parsed.
func (p *translator) compile(at int, st *Statement) ast.StmtNode {
	p.render(at, st)
	tp := parsers.Get().(*parser.Parser)
	nodes, _, err := tp.ParseSQL(st.out)
	if err == nil && len(nodes) != 1 {
		err = errors.New("not one statement")
	}
	var node ast.StmtNode
	if err == nil {
		node = nodes[0]
	}
	if len(st.out) < keepParserBelow {
		giveBack(tp)
	}
	if node == nil {
		p.fail(sqlerr.Internal(fmt.Errorf("%w: %.2000s", err, st.out), "the statement could not be translated").
			At(p.pos(int32(st.Offset))))
	}
	return node
}

// statement translates the statement at the current token.
func (p *translator) statement() *Statement {
	p.enter()
	defer p.leave()
	st := p.beginStatement()
	if p.startsDML() {
		at := p.mark()
		p.dml()
		st.AST = p.compile(at, st)
	} else {
		st.Utility = p.utility()
		st.NumParams = max(st.NumParams, p.nested)
	}
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
	case lex.KInsert, lex.KUpdate, lex.KDelete:
		return true
	}
	return p.word("upsert")
}

// dml emits a query or DML statement.
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
		if p.word("merge") {
			p.unsupported(p.src(), "MERGE is not supported", "Use INSERT … ON CONFLICT, UPDATE … FROM and DELETE … USING.")
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
func (p *translator) expression() Expr { return p.expressionBy(p.expr) }

// expressionBy is expression with the walker to use.
func (p *translator) expressionBy(walk func() ex) Expr {
	st := p.beginStatement()
	at := p.mark()
	p.raw("SELECT ")
	walk()
	sel, _ := p.compile(at, st).(*ast.SelectStmt)
	hints := p.hints
	p.endStatement(st)
	p.hints = hints
	p.nested = max(p.nested, st.NumParams)
	st.AST = sel
	return Expr{Node: sel.Fields.Fields[0].Expr, Text: st.Text, Pos: p.pos(int32(st.Offset)), Src: st}
}

// Pos gives the 1-based character position of a node in the text given to
// Parse, as Postgres counts: of an operator for operators and ::, of the name
// for calls, else of the first character. 0 means unknown.
func (s *Statement) Pos(node ast.Node) int {
	var out int
	switch n := node.(type) {
	case nil:
		return 0
	case *ast.SelectField:
		out = n.Offset
	case *ast.BinaryOperationExpr:
		// The operator's piece ends where the right operand begins.
		out = n.R.OriginTextPosition() - 1
	case *ast.BetweenExpr:
		out = n.Left.OriginTextPosition() - 1
	case *ast.PatternInExpr:
		if n.Sel != nil {
			out = n.Sel.OriginTextPosition() - 1
		} else {
			out = n.List[0].OriginTextPosition() - 1
		}
	default:
		out = node.OriginTextPosition()
	}
	i := s.spanAt(out)
	if i < 0 {
		return 0
	}
	return s.index.Position(s.whole, int(s.spans[i].src))
}

// spanAt finds the last span that begins at or before an output offset.
func (s *Statement) spanAt(out int) int {
	lo, hi := 0, len(s.spans)
	for lo < hi {
		mid := (lo + hi) / 2
		if int(s.spans[mid].out) <= out {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo - 1
}

func upper(s string) string { return strings.ToUpper(s) }
