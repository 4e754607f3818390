package dialect

import (
	"strconv"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
)

// withClause emits WITH [RECURSIVE] name [(columns)] AS (query), ….
func (p *translator) withClause() int32 {
	p.rawAt("WITH ", p.src())
	p.next()
	if p.accept(lex.KRecursive) {
		p.raw("RECURSIVE ")
	}
	var h int32
	for {
		h = max(h, p.cte())
		if !p.acceptKind(lex.Comma) {
			break
		}
		p.raw(", ")
	}
	p.raw(" ")
	return h
}

func (p *translator) cte() int32 {
	src := p.src()
	name := p.colID()
	var columns []string
	if p.kind() == lex.LParen {
		columns = p.colIDList()
	}
	p.expect(lex.KAs)
	flags := ""
	switch {
	case p.accept(lex.KMaterialized):
		flags = string(marker.FlagMat)
	case p.kw() == lex.KNot:
		p.next()
		p.expect(lex.KMaterialized)
		flags = string(marker.FlagNotMat)
	}
	p.ident(fields(name, strconv.Itoa(p.pos(src)), flags), src)
	p.columnNames(columns)
	p.raw(" AS ")
	if p.kind() != lex.LParen {
		p.syntaxError()
	}
	var e ex
	if p.writesAt(1) {
		p.writingQuery()
	} else {
		e = p.subquery()
	}
	switch {
	case p.kw() == lex.KSearch:
		p.unsupported(p.src(), "the SEARCH clause is not supported", "Carry the path in a column of the recursive query and sort by it.")
	case p.kw() == lex.KCycle:
		p.unsupported(p.src(), "the CYCLE clause is not supported", "Carry the visited keys in an array column and test it in the recursive part.")
	}
	return e.h
}

// writesAt says that the n-th token from here begins a statement that writes, perhaps after
// a WITH clause of its own.
func (p *translator) writesAt(n int) bool {
	switch p.peek(n).Keyword {
	case lex.KInsert, lex.KUpdate, lex.KDelete, lex.KMerge:
		return true
	case lex.KWith:
		for depth := 0; depth >= 0; {
			n++
			switch t := p.peek(n); {
			case t.Kind == lex.EOF:
				return false
			case t.Kind == lex.LParen:
				depth++
			case t.Kind == lex.RParen:
				// What follows a query of the clause, if it is no comma, is the statement.
				if depth--; depth == 0 && p.peek(n+1).Kind != lex.Comma && p.peek(n+1).Keyword != lex.KAs {
					return p.writesAt(n + 1)
				}
			}
		}
		return false
	}
	return p.wordAt(n, "upsert")
}

// writingQuery translates ( INSERT … ) by itself, for MySQL has no place for it in WITH, and
// emits a query that stands for it.
func (p *translator) writingQuery() {
	p.enter()
	defer p.leave()
	src := p.src()
	p.expectKind(lex.LParen)
	st := p.beginStatement()
	d := p.dmlTree(st)
	p.nested = max(p.nested, st.NumParams)
	p.expectKind(lex.RParen)
	p.raw("(SELECT ")
	p.call(marker.MInner, strconv.Itoa(len(p.source.Inner)), src)
	p.raw(")")
	p.source.Inner = append(p.source.Inner, d)
}

// columnNames emits ( `a`, `b` ), or nothing.
func (p *translator) columnNames(names []string) {
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
