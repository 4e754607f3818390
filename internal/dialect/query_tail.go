package dialect

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// queryTail reads ORDER BY, LIMIT, OFFSET, FETCH and FOR, and holds their
// pieces back.
func (p *translator) queryTail(q *query) {
	if p.kw() == lex.KOrder {
		src := p.src()
		p.next()
		p.expect(lex.KBy)
		if q.ordered {
			p.multiple(src, "ORDER BY")
		}
		q.ordered = true
		at := p.mark()
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
		p.fail(sqlerr.New(sqlerr.SyntaxError, "SKIP LOCKED and WITH TIES options cannot be used together").At(p.here()))
	}
}

// limits reads LIMIT, FETCH and OFFSET.
func (p *translator) limits(q *query) bool {
	for n := 0; ; n++ {
		switch p.kw() {
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
func (p *translator) locks(q *query) bool {
	if p.kw() == lex.KFor && p.peek(1).Keyword == lex.KRead && p.peek(2).Keyword == lex.KOnly {
		p.i += 3 // which asks for nothing
		return true
	}
	n := 0
	for p.kw() == lex.KFor && p.lock(q) {
		n++
	}
	return n > 0
}

// orderBy emits the items of a query's ORDER BY.
func (p *translator) orderBy() int32 {
	var h int32
	for {
		at := p.mark()
		e, d := p.orderItem()
		h = max(h, e.h)
		switch {
		case d.nulls != "" || d.using != "":
			p.wrapMarker(at, marker.MOrder, d.payload(), -1)
			p.raw(")")
		case d.desc:
			p.raw(" DESC")
		}
		if !p.acceptKind(lex.Comma) {
			return h
		}
		p.raw(", ")
	}
}

// simple tells whether the pieces since the mark are a constant or parameter
// that MySQL's LIMIT takes.
func (p *translator) simple(at int, t *lex.Token) bool {
	if p.mark() != at+1 || p.pieces[at].prefix != 0 {
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

func (p *translator) limit(q *query) {
	src := p.src()
	p.next()
	if q.limited {
		p.multiple(src, "LIMIT")
	}
	q.limited = true
	at := p.mark()
	t := p.tok()
	if p.accept(lex.KAll) {
		p.rawAt("NULL", src)
	} else {
		q.h = max(q.h, p.expr().h)
	}
	q.native = p.simple(at, t)
	q.limit = p.cut(at)
	if p.kind() == lex.Comma {
		p.fail(sqlerr.New(sqlerr.SyntaxError, "LIMIT #,# syntax is not supported").
			WithHint("Use separate LIMIT and OFFSET clauses.").At(p.pos(src)))
	}
}

// fetchFirst reads FETCH FIRST [n] ROWS ONLY | WITH TIES.
func (p *translator) fetchFirst(q *query) {
	src := p.src()
	p.next()
	if q.limited {
		p.multiple(src, "LIMIT")
	}
	q.limited = true
	if !p.accept(lex.KFirst) && !p.accept(lex.KNext) {
		p.syntaxError()
	}
	at := p.mark()
	t := p.tok()
	if p.kw() == lex.KRow || p.kw() == lex.KRows {
		p.rawAt("1", src)
		q.native = true
	} else {
		q.h = max(q.h, p.fetchCount().h)
		q.native = p.simple(at, t)
	}
	q.limit = p.cut(at)
	if !p.accept(lex.KRow) && !p.accept(lex.KRows) {
		p.syntaxError()
	}
	if p.accept(lex.KOnly) {
		return
	}
	p.expect(lex.KWith)
	p.expect(lex.KTies)
	if !q.ordered {
		p.errorAt(src, "WITH TIES cannot be specified without ORDER BY clause")
	}
	q.ties, q.native = true, false
}

// fetchCount emits FETCH's count: a constant with a sign, or a primary.
func (p *translator) fetchCount() ex {
	if t := p.tok(); t.Kind == lex.Op && (t.Op == lex.OpAdd || t.Op == lex.OpSub) {
		if k := p.peek(1).Kind; k != lex.Int && k != lex.Number {
			p.next()
			p.syntaxError()
		}
		return p.unary(false)
	}
	return p.primary()
}

// offset reads OFFSET n [ROWS]; Phoenix's OFFSET (a, b) = (1, 2) is an
// expression like any other.
func (p *translator) offset(q *query) {
	src := p.src()
	p.next()
	if q.skipped {
		p.multiple(src, "OFFSET")
	}
	q.skipped = true
	at := p.mark()
	t := p.tok()
	q.h = max(q.h, p.expr().h)
	if !p.accept(lex.KRow) {
		p.accept(lex.KRows)
	}
	q.nativeOffset = p.simple(at, t)
	q.offset = p.cut(at)
}

// lock reads one FOR UPDATE clause.
func (p *translator) lock(q *query) bool {
	src := p.src()
	strength := ""
	n := 2
	switch p.peek(1).Keyword {
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
	if n == 4 && (p.peek(2).Keyword != lex.KKey || p.peek(3).Keyword != lex.KUpdate) ||
		n == 3 && p.peek(2).Keyword != lex.KShare {
		p.i += 2
		p.syntaxError()
	}
	p.i += n
	f := []string{strength, ""}
	if p.accept(lex.KOf) {
		for {
			f = append(f, p.qualified().Name)
			if !p.acceptKind(lex.Comma) {
				break
			}
		}
	}
	switch {
	case p.accept(lex.KNowait):
		f[1] = "nowait"
	case p.accept2(lex.KSkip, lex.KLocked):
		f[1] = "skip"
		q.skipLocked = true
	}
	at := p.mark()
	p.call(marker.MLock, fields(f...), src)
	lock := p.cut(at)
	if q.locks != nil {
		q.locks = append(q.locks, piece{text: ", ", src: -1})
	}
	q.locks = append(q.locks, lock...)
	return true
}

// finish emits what queryTail held back.
func (p *translator) finish(q *query) {
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
		begin := p.mark()
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
