package translate

import (
	"strconv"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
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
	switch {
	case p.Keyword() == lex.KSearch:
		p.Unsupported(p.Offset(), "the SEARCH clause is not supported", "Carry the path in a column of the recursive query and sort by it.")
	case p.Keyword() == lex.KCycle:
		p.Unsupported(p.Offset(), "the CYCLE clause is not supported", "Carry the visited keys in an array column and test it in the recursive part.")
	}
	return e.h
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
