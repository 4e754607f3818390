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
	switch t := p.peek(1); {
	case t.Keyword == lex.KInsert, t.Keyword == lex.KUpdate, t.Keyword == lex.KDelete, p.wordAt(1, "upsert"), p.wordAt(1, "merge"):
		p.unsupported(t.Start, "data-modifying statements in WITH are not supported", "Send the statement by itself, with RETURNING if its rows are needed.")
	}
	e := p.subquery()
	switch {
	case p.kw() == lex.KSearch:
		p.unsupported(p.src(), "the SEARCH clause is not supported", "Carry the path in a column of the recursive query and sort by it.")
	case p.kw() == lex.KCycle:
		p.unsupported(p.src(), "the CYCLE clause is not supported", "Carry the visited keys in an array column and test it in the recursive part.")
	}
	return e.h
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
