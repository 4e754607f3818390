package translate

import (
	"github.com/saltsql/saltsql/internal/dialect/cursor"
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
	first        Expr // the first column's name
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

// IsSubquery tells whether the parenthesis here encloses a query rather than
// an expression or a join.
func (p *Translator) IsSubquery() bool {
	n := 0
	for p.Peek(n).Kind == lex.LParen {
		n++
	}
	if n > cursor.MaxDepth {
		p.TooDeep() // before they are counted again on each level
	}
	if n == 0 || !StartsQuery(p.Peek(n)) {
		return false
	}
	// The innermost parenthesis encloses a query. Each one around it does
	// too if what follows the inner one continues a query or ends it.
	for n--; n > 0; n-- {
		m := p.Peek(n).Match
		if m < 0 {
			return true // unbalanced: any reading ends in a syntax error
		}
		if !continuesQuery(&p.Tokens[m+1]) {
			return false
		}
	}
	return true
}

func StartsQuery(t *lex.Token) bool {
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
func (p *Translator) subquery() Expr {
	p.Enter()
	p.rawAt("(", p.Offset())
	p.ExpectKind(lex.LParen)
	q := p.openQuery()
	p.finish(&q)
	p.ExpectKind(lex.RParen)
	p.raw(")")
	p.Leave()
	e := Expr{Name: q.first.Name, Strong: q.first.Strong, h: p.Taller(q.h, 0)}
	return e
}

// FullQuery emits a query without parentheses.
func (p *Translator) FullQuery() query {
	q := p.openQuery()
	p.finish(&q)
	return q
}

// openQuery emits a query's WITH and body, and reads what follows the body.
func (p *Translator) openQuery() query {
	p.Enter()
	defer p.Leave()
	if p.Keyword() == lex.KWith {
		src, mayInto := p.Offset(), p.At == p.intoAt
		h := p.withClause()
		if mayInto {
			p.intoAt = p.At
		}
		return p.queryAfterWith(src, h)
	}
	q := p.setOperation(0)
	p.queryTail(&q)
	return q
}

// queryAfterWith is openQuery after a WITH clause, which began at src.
func (p *Translator) queryAfterWith(src, h int32) query {
	q := p.setOperation(0)
	if q.with {
		p.ErrorAt(src, "multiple WITH clauses not allowed")
	}
	q.with = true
	q.h = max(q.h, h)
	p.queryTail(&q)
	return q
}

// setOperation emits operands joined by set operations of at least the given
// precedence.
func (p *Translator) setOperation(minPrec int) query {
	at := p.Mark()
	l := p.queryOperand()
	for {
		prec := precUnion
		text := " UNION "
		switch p.Keyword() {
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
		src := p.Offset()
		p.Next()
		all := p.Accept(lex.KAll)
		if !all {
			p.Accept(lex.KDistinct)
		}
		if l.chain != prec || l.order != nil || l.limited || l.skipped || l.locks != nil || l.with {
			p.finish(&l)
			p.parens(at)
		}
		p.rawAt(text, src)
		if all {
			p.raw("ALL ")
		}
		rat := p.Mark()
		r := p.setOperation(prec + 1)
		p.finish(&r)
		p.parens(rat)
		l = query{first: l.first, h: p.Taller(l.h, r.h), chain: prec}
	}
}

// queryOperand emits a SELECT, VALUES or TABLE, or a parenthesised query
// without its parentheses.
func (p *Translator) queryOperand() query {
	switch p.Keyword() {
	case lex.KSelect:
		return p.selectBody()
	case lex.KValues:
		return p.valuesBody()
	case lex.KTable:
		p.Next()
		p.rawAt("SELECT * FROM ", p.Offset())
		p.relation(true)
		return query{first: Expr{Name: marker.NameFromStar, Strong: 2}}
	}
	if p.Kind() != lex.LParen {
		p.SyntaxError()
	}
	p.Next()
	q := p.openQuery()
	p.ExpectKind(lex.RParen)
	q.chain = 0
	return q
}

// valuesBody emits VALUES (…), ….
func (p *Translator) valuesBody() query {
	p.rawAt("VALUES ", p.Offset())
	p.Next()
	var h int32
	for {
		p.rawAt("ROW(", p.Offset())
		p.ExpectKind(lex.LParen)
		h = max(h, p.exprList(0))
		p.ExpectKind(lex.RParen)
		p.raw(")")
		if !p.AcceptKind(lex.Comma) {
			return query{first: Expr{Name: "column1", Strong: 2}, h: p.Taller(h, 0)}
		}
		p.raw(", ")
	}
}

// selectBody emits SELECT … up to HAVING, and holds back WINDOW.
func (p *Translator) selectBody() query {
	src, mayInto := p.Offset(), p.At == p.intoAt
	p.Next()
	p.takeHint()
	p.rawAt("SELECT ", src)
	var q query
	distinct := p.Accept(lex.KDistinct)
	if distinct {
		if p.Accept(lex.KOn) {
			p.open(marker.MDistinctOn, marker.Nothing, -1)
			p.ExpectKind(lex.LParen)
			q.h = p.exprList(0)
			p.ExpectKind(lex.RParen)
			p.raw("), ")
		} else {
			p.raw("DISTINCT ")
		}
	} else {
		p.Accept(lex.KAll)
	}
	if !distinct && p.endsSelectList() {
		p.call(marker.MEmpty, marker.Nothing, -1)
	} else {
		q.first, q.h = p.selectList(q.h)
	}
	if p.Keyword() == lex.KInto {
		if !mayInto {
			p.ErrorAt(p.Tokens[p.At+1].Start, "SELECT ... INTO is not allowed here")
		}
		p.into = p.readInto()
	}
	from := false
	if p.Accept(lex.KFrom) {
		from = true
		p.raw(" FROM ")
		q.h = max(q.h, p.fromList())
	}
	if !from {
		switch p.Keyword() {
		case lex.KWhere, lex.KGroup, lex.KHaving:
			p.raw(" FROM `" + marker.TDual + "`")
		}
	}
	if p.Accept(lex.KWhere) {
		p.raw(" WHERE ")
		q.h = max(q.h, p.Expr().h)
	}
	if p.Accept(lex.KGroup) {
		p.Expect(lex.KBy)
		p.raw(" GROUP BY ")
		q.h = max(q.h, p.groupBy())
	}
	if p.Accept(lex.KHaving) {
		p.raw(" HAVING ")
		q.h = max(q.h, p.Expr().h)
	}
	if p.Keyword() == lex.KWindow {
		at := p.Mark()
		q.h = max(q.h, p.windowClause())
		q.windows = p.cut(at)
	}
	q.h = p.Taller(q.h, 0)
	return q
}

// windowClause emits the definitions of WINDOW as markers of the tail.
func (p *Translator) windowClause() int32 {
	p.Next()
	var h int32
	for {
		src := p.Offset()
		p.open(marker.MWindow, p.ColID(), src)
		p.Expect(lex.KAs)
		h = max(h, p.windowSpec(p.Offset()))
		p.raw(")")
		if !p.AcceptKind(lex.Comma) {
			return h
		}
		p.raw(", ")
	}
}

// takeHint keeps the /*+ … */ comment that stands before the current token.
func (p *Translator) takeHint() {
	for p.hint < len(p.Lex.Hints) && p.Lex.Hints[p.hint].Next < p.At {
		p.hint++
	}
	if p.hint < len(p.Lex.Hints) && p.Lex.Hints[p.hint].Next == p.At {
		h := p.Lex.Hints[p.hint]
		p.hint++
		p.hints = append(p.hints, parseHints(p.Lex.Text[h.Start:h.End], p.Pos(h.Start))...)
	}
}

// multiple fails on a clause written both inside and outside parentheses.
func (p *Translator) multiple(src int32, clause string) {
	p.Fail(sqlerr.New(sqlerr.SyntaxError, "multiple %s clauses not allowed", clause).At(p.Pos(src)))
}
