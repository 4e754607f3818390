package dialect

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// query is what is known of a query whose body has been emitted and whose
// ORDER BY, LIMIT and FOR are still held back: a parenthesis around it may add
// to them.
//
//	( SELECT a FROM t ORDER BY a ) LIMIT 1
//	  `---- body ----' `-order-'   `limit'
type query struct {
	first        ex // the first column's name
	h            int32
	chain        int // the precedence of a bare chain of set operations, 0 for none
	with         bool
	order        []piece
	windows      []piece
	limit        []piece
	offset       []piece
	locks        []piece
	ordered      bool
	ties         bool
	skipLocked   bool
	native       bool // the limit fits MySQL's LIMIT
	nativeOffset bool
	limited      bool
	skipped      bool
}

// Precedences of the set operations.
const (
	precUnion     = 1
	precIntersect = 2
)

// isSubquery tells whether the parenthesis here encloses a query rather than
// an expression or a join.
func (p *translator) isSubquery() bool {
	n := 0
	for p.peek(n).Kind == lex.LParen {
		n++
	}
	if n > maxDepth {
		p.tooDeep() // before they are counted again on each level
	}
	if n == 0 || !startsQuery(p.peek(n)) {
		return false
	}
	// The innermost parenthesis encloses a query. Each one around it does
	// too if what follows the inner one continues a query or ends it.
	for n--; n > 0; n-- {
		m := p.peek(n).Match
		if m < 0 {
			return true // unbalanced: any reading ends in a syntax error
		}
		if !continuesQuery(&p.toks[m+1]) {
			return false
		}
	}
	return true
}

func startsQuery(t *lex.Token) bool {
	switch t.Keyword {
	case lex.KSelect, lex.KValues, lex.KWith, lex.KTable:
		return true
	}
	return false
}

func continuesQuery(t *lex.Token) bool {
	if t.Kind == lex.RParen {
		return true
	}
	switch t.Keyword {
	case lex.KUnion, lex.KIntersect, lex.KExcept, lex.KOrder, lex.KLimit, lex.KOffset, lex.KFetch, lex.KFor:
		return true
	}
	return false
}

// subquery emits ( query ). Its name is that of the query's first column.
func (p *translator) subquery() ex {
	p.enter()
	p.rawAt("(", p.src())
	p.expectKind(lex.LParen)
	q := p.openQuery()
	p.finish(&q)
	p.expectKind(lex.RParen)
	p.raw(")")
	p.leave()
	e := ex{name: q.first.name, strong: q.first.strong, h: p.taller(q.h, 0)}
	return e
}

// fullQuery emits a query without parentheses.
func (p *translator) fullQuery() query {
	q := p.openQuery()
	p.finish(&q)
	return q
}

// openQuery emits a query's WITH and body, and reads what follows the body.
func (p *translator) openQuery() query {
	p.enter()
	defer p.leave()
	if p.kw() == lex.KWith {
		src := p.src()
		return p.queryAfterWith(src, p.withClause())
	}
	q := p.setOperation(0)
	p.queryTail(&q)
	return q
}

// queryAfterWith is openQuery after a WITH clause, which began at src.
func (p *translator) queryAfterWith(src, h int32) query {
	q := p.setOperation(0)
	if q.with {
		p.errorAt(src, "multiple WITH clauses not allowed")
	}
	q.with = true
	q.h = max(q.h, h)
	p.queryTail(&q)
	return q
}

// setOperation emits operands joined by set operations of at least the given
// precedence.
func (p *translator) setOperation(minPrec int) query {
	at := p.mark()
	l := p.queryOperand()
	for {
		prec := precUnion
		text := " UNION "
		switch p.kw() {
		case lex.KUnion:
		case lex.KExcept:
			text = " EXCEPT "
		case lex.KIntersect:
			text, prec = " INTERSECT ", precIntersect
		default:
			return l
		}
		if prec < minPrec {
			return l
		}
		src := p.src()
		p.next()
		all := p.accept(lex.KAll)
		if !all {
			p.accept(lex.KDistinct)
		}
		if l.chain != prec || l.order != nil || l.limited || l.skipped || l.locks != nil || l.with {
			p.finish(&l)
			p.parens(at)
		}
		p.rawAt(text, src)
		if all {
			p.raw("ALL ")
		}
		rat := p.mark()
		r := p.setOperation(prec + 1)
		p.finish(&r)
		p.parens(rat)
		l = query{first: l.first, h: p.taller(l.h, r.h), chain: prec}
	}
}

// queryOperand emits a SELECT, VALUES or TABLE, or a parenthesised query
// without its parentheses.
func (p *translator) queryOperand() query {
	switch p.kw() {
	case lex.KSelect:
		return p.selectBody()
	case lex.KValues:
		return p.valuesBody()
	case lex.KTable:
		p.next()
		p.rawAt("SELECT * FROM ", p.src())
		p.relation(true)
		return query{first: ex{name: marker.NameFromStar, strong: 2}}
	}
	if p.kind() != lex.LParen {
		p.syntaxError()
	}
	p.next()
	q := p.openQuery()
	p.expectKind(lex.RParen)
	q.chain = 0
	return q
}

// valuesBody emits VALUES (…), ….
func (p *translator) valuesBody() query {
	p.rawAt("VALUES ", p.src())
	p.next()
	var h int32
	for {
		p.rawAt("ROW(", p.src())
		p.expectKind(lex.LParen)
		h = max(h, p.exprList(0))
		p.expectKind(lex.RParen)
		p.raw(")")
		if !p.acceptKind(lex.Comma) {
			return query{first: ex{name: "column1", strong: 2}, h: p.taller(h, 0)}
		}
		p.raw(", ")
	}
}

// selectBody emits SELECT … up to HAVING, and holds back WINDOW.
func (p *translator) selectBody() query {
	src := p.src()
	p.next()
	p.takeHint()
	p.rawAt("SELECT ", src)
	var q query
	distinct := p.accept(lex.KDistinct)
	if distinct {
		if p.accept(lex.KOn) {
			p.open(marker.MDistinctOn, marker.Nothing, -1)
			p.expectKind(lex.LParen)
			q.h = p.exprList(0)
			p.expectKind(lex.RParen)
			p.raw("), ")
		} else {
			p.raw("DISTINCT ")
		}
	} else {
		p.accept(lex.KAll)
	}
	if !distinct && p.endsSelectList() {
		p.call(marker.MEmpty, marker.Nothing, -1)
	} else {
		q.first, q.h = p.selectList(q.h)
	}
	if p.kw() == lex.KInto {
		p.unsupported(p.src(), "SELECT INTO is not supported", "Use CREATE TABLE with a primary key, then INSERT INTO … SELECT.")
	}
	from := false
	if p.accept(lex.KFrom) {
		from = true
		p.raw(" FROM ")
		q.h = max(q.h, p.fromList())
	}
	if !from {
		switch p.kw() {
		case lex.KWhere, lex.KGroup, lex.KHaving:
			p.raw(" FROM `" + marker.TDual + "`")
		}
	}
	if p.accept(lex.KWhere) {
		p.raw(" WHERE ")
		q.h = max(q.h, p.expr().h)
	}
	if p.accept(lex.KGroup) {
		p.expect(lex.KBy)
		p.raw(" GROUP BY ")
		q.h = max(q.h, p.groupBy())
	}
	if p.accept(lex.KHaving) {
		p.raw(" HAVING ")
		q.h = max(q.h, p.expr().h)
	}
	if p.kw() == lex.KWindow {
		at := p.mark()
		q.h = max(q.h, p.windowClause())
		q.windows = p.cut(at)
	}
	q.h = p.taller(q.h, 0)
	return q
}

// endsSelectList tells whether no select list is written.
func (p *translator) endsSelectList() bool {
	switch p.kind() {
	case lex.EOF, lex.RParen, lex.Semicolon:
		return true
	}
	switch p.kw() {
	case lex.KFrom, lex.KWhere, lex.KGroup, lex.KHaving, lex.KWindow, lex.KUnion, lex.KIntersect,
		lex.KExcept, lex.KOrder, lex.KLimit, lex.KOffset, lex.KFetch, lex.KFor, lex.KInto:
		return true
	}
	return false
}

// selectList emits the items and gives the first one's name.
func (p *translator) selectList(h int32) (first ex, height int32) {
	for n := 0; ; n++ {
		e := p.selectItem()
		if n == 0 {
			first = e
		}
		h = max(h, e.h)
		if !p.acceptKind(lex.Comma) {
			return first, h
		}
		p.raw(", ")
	}
}

// selectItem emits one item with its column name.
func (p *translator) selectItem() ex {
	if n := p.wildcard(); n > 0 {
		for ; n > 1; n -= 2 {
			p.ident(p.name(p.tok()), p.src())
			p.raw(".")
			p.i += 2
		}
		p.rawAt("*", p.src())
		p.next()
		return ex{name: marker.NameFromStar, strong: 2}
	}
	e := p.expr()
	label := "?column?"
	if e.strong > 0 {
		label = e.name
	}
	switch {
	case p.accept(lex.KAs), isBareLabel(p.tok()):
		label = p.label()
	}
	p.raw(" AS ")
	p.ident(label, -1)
	// A scalar subquery is named after its first column, even if that has
	// the name of none.
	e.name, e.strong = label, 2
	return e
}

// wildcard gives the number of tokens of *, t.* or s.t.* standing alone as an
// item, or 0.
func (p *translator) wildcard() int {
	n := 0
	for n < 4 && isColID(p.peek(n)) && p.peek(n+1).Kind == lex.Dot {
		n += 2
	}
	if t := p.peek(n); t.Kind != lex.Op || t.Op != lex.OpMul {
		// a.b.c: labels after the first may be any word.
		if n == 0 || n > 2 || !isLabel(p.peek(n)) || p.peek(n+1).Kind != lex.Dot {
			return 0
		}
		n += 2
		if t := p.peek(n); t.Kind != lex.Op || t.Op != lex.OpMul {
			return 0
		}
	}
	if n == 0 {
		return 1
	}
	switch t := p.peek(n + 1); t.Kind {
	case lex.Comma, lex.EOF, lex.RParen, lex.Semicolon:
		return n + 1
	default:
		switch t.Keyword {
		case lex.KFrom, lex.KWhere, lex.KGroup, lex.KHaving, lex.KWindow, lex.KUnion, lex.KIntersect,
			lex.KExcept, lex.KOrder, lex.KLimit, lex.KOffset, lex.KFetch, lex.KFor, lex.KInto:
			return n + 1
		}
	}
	return 0
}

// groupBy emits the items of GROUP BY.
func (p *translator) groupBy() int32 {
	if p.kw() == lex.KDistinct {
		p.next()
		p.call(marker.MGroup, "distinct", -1)
		p.raw(", ")
	} else {
		p.accept(lex.KAll)
	}
	return p.groupItems()
}

func (p *translator) groupItems() int32 {
	var h int32
	for {
		h = max(h, p.groupItem())
		if !p.acceptKind(lex.Comma) {
			return p.taller(h, 0)
		}
		p.raw(", ")
	}
}

func (p *translator) groupItem() int32 {
	p.enter()
	defer p.leave()
	src := p.src()
	kind := ""
	switch {
	case p.kw() == lex.KGrouping && p.peek(1).Keyword == lex.KSets && p.peek(2).Kind == lex.LParen:
		kind = "sets"
		p.i += 3
	case p.kw() == lex.KCube && p.peek(1).Kind == lex.LParen:
		kind = "cube"
		p.i += 2
	case p.kw() == lex.KRollup && p.peek(1).Kind == lex.LParen:
		kind = "rollup"
		p.i += 2
	case p.kind() == lex.LParen && p.peek(1).Kind == lex.RParen:
		p.i += 2
		p.call(marker.MGroup, "empty", src)
		return 0
	default:
		return p.expr().h
	}
	p.open(marker.MGroup, kind, src)
	h := p.groupItems()
	p.expectKind(lex.RParen)
	p.raw(")")
	return h
}

// windowClause emits the definitions of WINDOW as markers of the tail.
func (p *translator) windowClause() int32 {
	p.next()
	var h int32
	for {
		src := p.src()
		p.open(marker.MWindow, p.colID(), src)
		p.expect(lex.KAs)
		h = max(h, p.windowSpec(p.src()))
		p.raw(")")
		if !p.acceptKind(lex.Comma) {
			return h
		}
		p.raw(", ")
	}
}

// takeHint keeps the /*+ … */ comment that stands before the current token.
func (p *translator) takeHint() {
	for p.hint < len(p.lx.Hints) && p.lx.Hints[p.hint].Next < p.i {
		p.hint++
	}
	if p.hint < len(p.lx.Hints) && p.lx.Hints[p.hint].Next == p.i {
		h := p.lx.Hints[p.hint]
		p.hint++
		p.hints = append(p.hints, parseHints(p.lx.Text[h.Start:h.End], p.pos(h.Start))...)
	}
}

// multiple fails on a clause written both inside and outside parentheses.
func (p *translator) multiple(src int32, clause string) {
	p.fail(sqlerr.New(sqlerr.SyntaxError, "multiple %s clauses not allowed", clause).At(p.pos(src)))
}
