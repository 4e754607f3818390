package translate

import (
	"github.com/saltsql/saltsql/internal/dialect/cursor"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
)

// update emits UPDATE. FROM becomes further tables of MySQL's multi-table
// UPDATE, whose first table is the target.
func (p *Translator) update(with []piece) {
	p.paste(with)
	p.rawAt("UPDATE ", p.Offset())
	p.Next()
	p.takeHint()
	p.targetTable(true)
	p.Expect(lex.KSet)
	at := p.Mark()
	p.setList(true)
	set := p.cut(at)
	if p.Accept(lex.KFrom) {
		p.raw(", ")
		p.fromList()
	}
	p.raw(" SET ")
	p.paste(set)
	p.dmlWhere(false)
}

// delete emits DELETE. USING becomes further tables of MySQL's multi-table
// DELETE, whose first table is the target.
func (p *Translator) delete(with []piece) {
	p.paste(with)
	p.rawAt("DELETE FROM ", p.Offset())
	p.Next()
	p.takeHint()
	p.Expect(lex.KFrom)
	at := p.Mark()
	p.targetTable(false)
	if p.Accept(lex.KUsing) {
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
func (p *Translator) targetTable(update bool) {
	var a alias
	paren := false
	if p.Accept(lex.KOnly) {
		a.flags = string(marker.FlagOnly)
		paren = p.AcceptKind(lex.LParen)
	}
	a.pos = p.Here()
	p.tableName()
	if paren {
		p.ExpectKind(lex.RParen)
	} else if a.flags == "" {
		p.AcceptOp(lex.OpMul)
	}
	if p.Accept(lex.KAs) {
		a.name = p.ColID()
	} else if t := p.Token(); cursor.IsColID(t) && !(update && t.Keyword == lex.KSet) {
		a.name = p.ColID()
	}
	p.raw(" AS ")
	p.emitAlias(a)
}

// dmlWhere emits WHERE, and what MySQL has no place for as further arguments of
// a call in its place. Phoenix's DELETE may have ORDER BY and LIMIT.
func (p *Translator) dmlWhere(phoenix bool) {
	at := p.Mark()
	cursor := ""
	cursorAt := int32(-1)
	where := false
	if p.Accept(lex.KWhere) {
		if p.Keyword() == lex.KCurrent && p.Peek(1).Keyword == lex.KOf {
			cursorAt = p.Offset()
			p.At += 2
			cursor = p.ColID()
		} else {
			where = true
			p.Expr()
		}
	}
	plain := p.Mark()
	if cursor != "" {
		p.call(marker.MCursor, cursor, cursorAt)
	}
	if phoenix && p.Keyword() == lex.KOrder {
		p.comma(at)
		p.Next()
		p.Expect(lex.KBy)
		p.orderMarkers(p.Mark())
	}
	if phoenix && p.Keyword() == lex.KLimit {
		p.comma(at)
		p.open(marker.MLimit, marker.Nothing, p.Offset())
		p.Next()
		p.Expr()
		p.raw(")")
	}
	if p.Keyword() == lex.KReturning {
		p.comma(at)
		p.returning()
	}
	switch {
	case p.Mark() > plain:
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
