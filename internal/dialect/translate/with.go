package translate

import (
	"strconv"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// withClause emits WITH [RECURSIVE] name [(columns)] AS (query), ….
func (p *Translator) withClause() int32 {
	p.rawAt("WITH ", p.Offset())
	p.Next()
	if p.Accept(lex.KRecursive) {
		p.raw("RECURSIVE ")
	}
	var h int32
	for {
		h = max(h, p.cte())
		if !p.AcceptKind(lex.Comma) {
			break
		}
		p.raw(", ")
	}
	p.raw(" ")
	return h
}

func (p *Translator) cte() int32 {
	src := p.Offset()
	name := p.ColID()
	var columns []string
	if p.Kind() == lex.LParen {
		columns = p.ColIDList()
	}
	p.Expect(lex.KAs)
	flags := ""
	switch {
	case p.Accept(lex.KMaterialized):
		flags = string(marker.FlagMat)
	case p.Keyword() == lex.KNot:
		p.Next()
		p.Expect(lex.KMaterialized)
		flags = string(marker.FlagNotMat)
	}
	p.ident(fields(name, strconv.Itoa(p.Pos(src)), flags), src)
	p.columnNames(columns)
	p.raw(" AS ")
	if p.Kind() != lex.LParen {
		p.SyntaxError()
	}
	var e Expr
	if p.writesAt(1) {
		p.writingQuery()
	} else {
		e = p.subquery()
	}
	r := marker.Recursion{Search: p.searchClause(), Cycle: p.cycleClause()}
	if r.Search != nil || r.Cycle != nil {
		if p.source.Recursions == nil {
			p.source.Recursions = map[tree.Pos]marker.Recursion{}
		}
		p.source.Recursions[tree.Pos(p.Pos(src))] = r
	}
	return e.h
}

// searchClause reads SEARCH {DEPTH | BREADTH} FIRST BY name, … SET name; nil where there is
// none. Nothing of it is emitted: MySQL has no place for it.
func (p *Translator) searchClause() *tree.Search {
	if p.Keyword() != lex.KSearch {
		return nil
	}
	s := &tree.Search{Pos: tree.Pos(p.Pos(p.Offset()))}
	p.Next()
	if s.Breadth = p.Accept(lex.KBreadth); !s.Breadth {
		p.Expect(lex.KDepth)
	}
	p.Expect(lex.KFirst)
	p.Expect(lex.KBy)
	s.By = p.columnList()
	p.Expect(lex.KSet)
	s.Set = p.ColID()
	return s
}

// cycleClause reads CYCLE name, … SET name USING name; nil where there is none.
func (p *Translator) cycleClause() *tree.Cycle {
	if p.Keyword() != lex.KCycle {
		return nil
	}
	c := &tree.Cycle{Pos: tree.Pos(p.Pos(p.Offset()))}
	p.Next()
	c.Columns = p.columnList()
	p.Expect(lex.KSet)
	c.Mark = p.ColID()
	if p.Accept(lex.KTo) {
		c.To = p.constant()
		p.Expect(lex.KDefault)
		c.Default = p.constant()
	}
	p.Expect(lex.KUsing)
	c.Path = p.ColID()
	return c
}

// constant translates a constant by itself, for MySQL has no place for it.
func (p *Translator) constant() tree.Expr {
	p.Enter()
	defer p.Leave()
	st, at, offset := p.BeginStatement(), p.Mark(), p.Offset()
	if p.Token().Kind == lex.LParen && p.Peek(3).Kind != lex.TypeCast {
		p.SyntaxError()
	}
	p.raw("SELECT ")
	from := p.Mark()
	for e := p.primary(); p.Kind() == lex.TypeCast; { // as the text of a view has it: (1)::numeric
		e = p.castSuffix(from, e)
	}
	e := p.Compile(at, st).(*tree.Select).Items[0].Expr
	x := e
	for c, ok := x.(*tree.Cast); ok && c.Spelling != "cast"; c, ok = x.(*tree.Cast) {
		x = c.X
	}
	if _, ok := x.(*tree.Const); !ok {
		p.Fail(sqlerr.New(sqlerr.SyntaxError, "a constant is expected").At(p.Pos(offset)))
	}
	return e
}

// columnList reads name, ….
func (p *Translator) columnList() []string {
	names := []string{p.ColID()}
	for p.AcceptKind(lex.Comma) {
		names = append(names, p.ColID())
	}
	return names
}

// writesAt says that the n-th token from here begins a statement that writes, perhaps after
// a WITH clause of its own.
func (p *Translator) writesAt(n int) bool {
	switch p.Peek(n).Keyword {
	case lex.KInsert, lex.KUpdate, lex.KDelete, lex.KMerge:
		return true
	case lex.KWith:
		for depth := 0; depth >= 0; {
			n++
			switch t := p.Peek(n); {
			case t.Kind == lex.EOF:
				return false
			case t.Kind == lex.LParen:
				depth++
			case t.Kind == lex.RParen:
				// What follows a query of the clause, if it is no comma, is the statement.
				if depth--; depth == 0 && p.Peek(n+1).Kind != lex.Comma && p.Peek(n+1).Keyword != lex.KAs {
					return p.writesAt(n + 1)
				}
			}
		}
		return false
	}
	return p.WordAt(n, "upsert")
}

// writingQuery translates ( INSERT … ) by itself, for MySQL has no place for it in WITH, and
// emits a query that stands for it.
func (p *Translator) writingQuery() {
	p.Enter()
	defer p.Leave()
	src := p.Offset()
	p.ExpectKind(lex.LParen)
	st := p.BeginStatement()
	d := p.DMLTree(st)
	p.Nested = max(p.Nested, st.NumParams)
	p.ExpectKind(lex.RParen)
	p.raw("(SELECT ")
	p.call(marker.MInner, strconv.Itoa(len(p.source.Inner)), src)
	p.raw(")")
	p.source.Inner = append(p.source.Inner, d)
}

// columnNames emits ( `a`, `b` ), or nothing.
func (p *Translator) columnNames(names []string) {
	for i, n := range names {
		if i == 0 {
			p.raw(" (")
		} else {
			p.raw(", ")
		}
		p.ident(n, -1)
	}
	if len(names) > 0 {
		p.raw(")")
	}
}
