package dialect

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
)

// update emits UPDATE. FROM becomes further tables of MySQL's multi-table
// UPDATE, whose first table is the target.
func (p *translator) update(with []piece) {
	p.paste(with)
	p.rawAt("UPDATE ", p.src())
	p.next()
	p.takeHint()
	p.targetTable(true)
	p.expect(lex.KSet)
	at := p.mark()
	p.setList(true)
	set := p.cut(at)
	if p.accept(lex.KFrom) {
		p.raw(", ")
		p.fromList()
	}
	p.raw(" SET ")
	p.paste(set)
	p.dmlWhere(false)
}

// delete emits DELETE. USING becomes further tables of MySQL's multi-table
// DELETE, whose first table is the target.
func (p *translator) delete(with []piece) {
	p.paste(with)
	p.rawAt("DELETE FROM ", p.src())
	p.next()
	p.takeHint()
	p.expect(lex.KFrom)
	at := p.mark()
	p.targetTable(false)
	if p.accept(lex.KUsing) {
		target := p.cut(at)
		p.raw("`" + marker.TTarget + "` USING ")
		p.paste(target)
		p.raw(", ")
		p.fromList()
	}
	p.dmlWhere(true)
}

// targetTable emits the table of an UPDATE or DELETE. In UPDATE t SET, SET is
// no alias.
func (p *translator) targetTable(update bool) {
	var a alias
	paren := false
	if p.accept(lex.KOnly) {
		a.flags = string(marker.FlagOnly)
		paren = p.acceptKind(lex.LParen)
	}
	a.pos = p.here()
	p.tableName()
	if paren {
		p.expectKind(lex.RParen)
	} else if a.flags == "" {
		p.acceptOp(lex.OpMul)
	}
	if p.accept(lex.KAs) {
		a.name = p.colID()
	} else if t := p.tok(); isColID(t) && !(update && t.Keyword == lex.KSet) {
		a.name = p.colID()
	}
	p.raw(" AS ")
	p.emitAlias(a)
}

// dmlWhere emits WHERE, and what MySQL has no place for as further arguments of
// a call in its place. Phoenix's DELETE may have ORDER BY and LIMIT.
func (p *translator) dmlWhere(phoenix bool) {
	at := p.mark()
	cursor := ""
	cursorAt := int32(-1)
	where := false
	if p.accept(lex.KWhere) {
		if p.kw() == lex.KCurrent && p.peek(1).Keyword == lex.KOf {
			cursorAt = p.src()
			p.i += 2
			cursor = p.colID()
		} else {
			where = true
			p.expr()
		}
	}
	plain := p.mark()
	if cursor != "" {
		p.call(marker.MCursor, cursor, cursorAt)
	}
	if phoenix && p.kw() == lex.KOrder {
		p.comma(at)
		p.next()
		p.expect(lex.KBy)
		p.orderMarkers(p.mark())
	}
	if phoenix && p.kw() == lex.KLimit {
		p.comma(at)
		p.open(marker.MLimit, marker.Nothing, p.src())
		p.next()
		p.expr()
		p.raw(")")
	}
	if p.kw() == lex.KReturning {
		p.comma(at)
		p.returning()
	}
	switch {
	case p.mark() > plain:
		if where {
			p.pieces = append(p.pieces, piece{})
			copy(p.pieces[plain+1:], p.pieces[plain:])
			p.pieces[plain] = piece{text: ")", src: -1}
			p.wrapMarker(at, marker.MWhere, marker.Nothing, -1)
		}
		p.wrapMarker(at, marker.MDML, marker.Nothing, -1)
		p.raw(")")
		p.wrap(at, " WHERE ", -1)
	case where:
		p.wrap(at, " WHERE ", -1)
	}
}
