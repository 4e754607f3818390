package translate

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// queryTail reads ORDER BY, LIMIT, OFFSET, FETCH and FOR, and holds their
// pieces back.
func (p *Translator) queryTail(q *query) {
	if p.Keyword() == lex.KOrder {
		src := p.Offset()
		p.Next()
		p.Expect(lex.KBy)
		if q.ordered {
			p.multiple(src, "ORDER BY")
		}
		q.ordered = true
		at := p.Mark()
		q.h = max(q.h, p.orderBy())
		q.order = p.cut(at)
	}
	// The limit and the locks may change places, but each stands together.
	locked := p.locks(q)
	limited := p.limits(q)
	if !locked && limited {
		p.locks(q)
	}
	if q.ties && q.skipLocked {
		p.Fail(sqlerr.New(sqlerr.SyntaxError, "SKIP LOCKED and WITH TIES options cannot be used together").At(p.Here()))
	}
}

// limits reads LIMIT, FETCH and OFFSET.
func (p *Translator) limits(q *query) bool {
	for n := 0; ; n++ {
		switch p.Keyword() {
		case lex.KLimit:
			p.limit(q)
		case lex.KFetch:
			p.fetchFirst(q)
		case lex.KOffset:
			p.offset(q)
		default:
			return n > 0
		}
	}
}

// locks reads FOR UPDATE and its like.
func (p *Translator) locks(q *query) bool {
	if p.Keyword() == lex.KFor && p.Peek(1).Keyword == lex.KRead && p.Peek(2).Keyword == lex.KOnly {
		p.At += 3 // which asks for nothing
		return true
	}
	n := 0
	for p.Keyword() == lex.KFor && p.lock(q) {
		n++
	}
	return n > 0
}

// orderBy emits the items of a query's ORDER BY.
func (p *Translator) orderBy() int32 {
	var h int32
	for {
		at := p.Mark()
		e, d := p.orderItem()
		h = max(h, e.h)
		switch {
		case d.nulls != "" || d.using != "":
			p.wrapMarker(at, marker.MOrder, d.payload(), -1)
			p.raw(")")
		case d.desc:
			p.raw(" DESC")
		}
		if !p.AcceptKind(lex.Comma) {
			return h
		}
		p.raw(", ")
	}
}

// simple tells whether the pieces since the mark are a constant or parameter
// that MySQL's LIMIT takes.
func (p *Translator) simple(at int, t *lex.Token) bool {
	if p.Mark() != at+1 || p.pieces[at].prefix != 0 {
		return false
	}
	switch t.Kind {
	case lex.Int:
		return t.End-t.Start <= 18
	case lex.Param:
		return true
	}
	return false
}

func (p *Translator) limit(q *query) {
	src := p.Offset()
	p.Next()
	if q.limited {
		p.multiple(src, "LIMIT")
	}
	q.limited = true
	at := p.Mark()
	t := p.Token()
	if p.Accept(lex.KAll) {
		p.rawAt("NULL", src)
	} else {
		q.h = max(q.h, p.Expr().h)
	}
	q.native = p.simple(at, t)
	q.limit = p.cut(at)
	if p.Kind() == lex.Comma {
		p.Fail(sqlerr.New(sqlerr.SyntaxError, "LIMIT #,# syntax is not supported").
			WithHint("Use separate LIMIT and OFFSET clauses.").At(p.Pos(src)))
	}
}

// fetchFirst reads FETCH FIRST [n] ROWS ONLY | WITH TIES.
func (p *Translator) fetchFirst(q *query) {
	src := p.Offset()
	p.Next()
	if q.limited {
		p.multiple(src, "LIMIT")
	}
	q.limited = true
	if !p.Accept(lex.KFirst) && !p.Accept(lex.KNext) {
		p.SyntaxError()
	}
	at := p.Mark()
	t := p.Token()
	if p.Keyword() == lex.KRow || p.Keyword() == lex.KRows {
		p.rawAt("1", src)
		q.native = true
	} else {
		q.h = max(q.h, p.fetchCount().h)
		q.native = p.simple(at, t)
	}
	q.limit = p.cut(at)
	if !p.Accept(lex.KRow) && !p.Accept(lex.KRows) {
		p.SyntaxError()
	}
	if p.Accept(lex.KOnly) {
		return
	}
	p.Expect(lex.KWith)
	p.Expect(lex.KTies)
	if !q.ordered {
		p.ErrorAt(src, "WITH TIES cannot be specified without ORDER BY clause")
	}
	q.ties, q.native = true, false
}

// fetchCount emits FETCH's count: a constant with a sign, or a primary.
func (p *Translator) fetchCount() Expr {
	if t := p.Token(); t.Kind == lex.Op && (t.Op == lex.OpAdd || t.Op == lex.OpSub) {
		if k := p.Peek(1).Kind; k != lex.Int && k != lex.Number {
			p.Next()
			p.SyntaxError()
		}
		return p.unary(false)
	}
	return p.primary()
}

// offset reads OFFSET n [ROWS]; Phoenix's OFFSET (a, b) = (1, 2) is an
// expression like any other.
func (p *Translator) offset(q *query) {
	src := p.Offset()
	p.Next()
	if q.skipped {
		p.multiple(src, "OFFSET")
	}
	q.skipped = true
	at := p.Mark()
	t := p.Token()
	q.h = max(q.h, p.Expr().h)
	if !p.Accept(lex.KRow) {
		p.Accept(lex.KRows)
	}
	q.nativeOffset = p.simple(at, t)
	q.offset = p.cut(at)
}

// lock reads one FOR UPDATE clause.
func (p *Translator) lock(q *query) bool {
	src := p.Offset()
	strength := ""
	n := 2
	switch p.Peek(1).Keyword {
	case lex.KUpdate:
		strength = "update"
	case lex.KShare:
		strength = "share"
	case lex.KNo:
		strength, n = "no key update", 4
	case lex.KKey:
		strength, n = "key share", 3
	default:
		return false
	}
	if n == 4 && (p.Peek(2).Keyword != lex.KKey || p.Peek(3).Keyword != lex.KUpdate) ||
		n == 3 && p.Peek(2).Keyword != lex.KShare {
		p.At += 2
		p.SyntaxError()
	}
	p.At += n
	f := []string{strength, ""}
	if p.Accept(lex.KOf) {
		for {
			f = append(f, p.Qualified().Name)
			if !p.AcceptKind(lex.Comma) {
				break
			}
		}
	}
	switch {
	case p.Accept(lex.KNowait):
		f[1] = "nowait"
	case p.Accept2(lex.KSkip, lex.KLocked):
		f[1] = "skip"
		q.skipLocked = true
	}
	at := p.Mark()
	p.call(marker.MLock, fields(f...), src)
	lock := p.cut(at)
	if q.locks != nil {
		q.locks = append(q.locks, piece{text: ", ", src: -1})
	}
	q.locks = append(q.locks, lock...)
	return true
}

// finish emits what queryTail held back.
func (p *Translator) finish(q *query) {
	native := q.limited && q.native && !q.ties && (!q.skipped || q.nativeOffset)
	tail := q.windows != nil || q.locks != nil || (q.limited || q.skipped) && !native
	if q.ordered || tail {
		p.raw(" ORDER BY ")
		p.paste(q.order)
	}
	if tail {
		if q.ordered {
			p.raw(", ")
		}
		p.open(marker.MTail, marker.Nothing, -1)
		begin := p.Mark()
		if q.windows != nil {
			p.paste(q.windows)
		}
		if q.limited && !native {
			p.comma(begin)
			payload := marker.Nothing
			if q.ties {
				payload = "ties"
			}
			p.open(marker.MLimit, payload, -1)
			p.paste(q.limit)
			p.raw(")")
		}
		if q.skipped && !native {
			p.comma(begin)
			p.open(marker.MOffset, marker.Nothing, -1)
			p.paste(q.offset)
			p.raw(")")
		}
		if q.locks != nil {
			p.comma(begin)
			p.paste(q.locks)
		}
		p.raw(")")
	}
	if native {
		p.raw(" LIMIT ")
		p.paste(q.limit)
		if q.skipped {
			p.raw(" OFFSET ")
			p.paste(q.offset)
		}
	}
	q.order, q.windows, q.limit, q.offset, q.locks = nil, nil, nil, nil, nil
	q.ordered, q.limited, q.skipped, q.ties = false, false, false, false
}
