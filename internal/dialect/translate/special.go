package translate

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
)

// special emits the functions that have a syntax of their own. What Postgres's
// grammar turns into a call of a pg_catalog function becomes one here too,
// with the arguments in the function's order.
func (p *Translator) special() (Expr, bool) {
	t := p.Token()
	call := p.Peek(1).Kind == lex.LParen
	switch t.Keyword {
	case lex.KCoalesce, lex.KGreatest, lex.KLeast, lex.KGrouping, lex.KNullif:
		if call {
			return p.keywordCall(), true
		}
	case lex.KCurrentDate, lex.KCurrentUser, lex.KSessionUser, lex.KUser, lex.KCurrentRole, lex.KCurrentCatalog:
		p.Next()
		p.emptyArguments(t)
		p.call(marker.MKeyword, t.Keyword.String(), t.Start)
		return Expr{Name: t.Keyword.String(), Strong: 2}, true
	case lex.KCurrentSchema:
		if !call && p.Peek(1).Kind != lex.Dot {
			p.Next()
			p.call(marker.MKeyword, "current_schema", t.Start)
			return Expr{Name: "current_schema", Strong: 2}, true
		}
	case lex.KCurrentTime, lex.KCurrentTimestamp, lex.KLocaltime, lex.KLocaltimestamp:
		p.Next()
		p.open(marker.MKeyword, t.Keyword.String(), t.Start)
		if p.emptyArguments(t) {
			call = false
		}
		if call {
			p.Next()
			n := p.Token()
			p.IntConst()
			p.number(n)
			p.ExpectKind(lex.RParen)
		}
		p.raw(")")
		return Expr{Name: t.Keyword.String(), Strong: 2}, true
	case lex.KExtract:
		if call {
			return p.extract(), true
		}
	case lex.KSubstring:
		if call {
			return p.substring(), true
		}
	case lex.KPosition:
		if call {
			return p.position(), true
		}
	case lex.KOverlay:
		if call {
			return p.overlay(), true
		}
	case lex.KTrim:
		if call {
			return p.trim(), true
		}
	case lex.KNormalize:
		if call {
			return p.normalize(), true
		}
	case lex.KCollation:
		if p.Peek(1).Keyword == lex.KFor && p.Peek(2).Kind == lex.LParen {
			p.At += 3
			p.sqlFunction("pg_collation_for", "collation for", t.Start)
			e := p.Expr()
			p.ExpectKind(lex.RParen)
			p.raw(")")
			return Expr{Name: "pg_collation_for", Strong: 2, h: p.Taller(e.h, 0)}, true
		}
	case lex.KTreat:
		if call {
			p.Unsupported(t.Start, "TREAT is not supported", "Use CAST(value AS type).")
		}
	case lex.KXmlattributes, lex.KXmlconcat, lex.KXmlelement, lex.KXmlexists, lex.KXmlforest,
		lex.KXmlnamespaces, lex.KXmlparse, lex.KXmlpi, lex.KXmlroot, lex.KXmlserialize, lex.KXmltable:
		if call {
			p.Unsupported(t.Start, "XML functions are not supported", "Build the XML in the client, or keep it as text.")
		}
	}
	return Expr{}, false
}

// keywordCall emits COALESCE and its like.
func (p *Translator) keywordCall() Expr {
	t := p.Token()
	p.At += 2
	p.open(marker.MKeyword, t.Keyword.String(), t.Start)
	h := p.exprListN(t.Keyword == lex.KNullif)
	p.ExpectKind(lex.RParen)
	p.raw(")")
	return Expr{Name: t.Keyword.String(), Strong: 2, h: p.Taller(h, 0)}
}

// exprListN emits a comma list; a pair has exactly two members.
func (p *Translator) exprListN(pair bool) int32 {
	if !pair {
		return p.exprList(0)
	}
	a := p.Expr()
	p.ExpectKind(lex.Comma)
	p.raw(", ")
	b := p.Expr()
	return max(a.h, b.h)
}

// begin reads the word and the parenthesis of a special call and emits the
// function's head.
func (p *Translator) begin(name, syntax string) {
	src := p.Offset()
	p.At += 2
	p.sqlFunction(name, syntax, src)
}

// end closes a special call.
func (p *Translator) end(name string, h int32) Expr {
	p.ExpectKind(lex.RParen)
	p.raw(")")
	return Expr{Name: name, Strong: 2, h: p.Taller(h, 0)}
}

// extract emits EXTRACT(field FROM x).
func (p *Translator) extract() Expr {
	p.begin("extract", "extract")
	t := p.Token()
	switch {
	case t.Kind == lex.String:
		p.str(p.Lex.Value(*t), t.Start)
	case t.Kind == lex.QuotedID || t.Kind == lex.Ident && t.Keyword == 0,
		t.Keyword == lex.KYear, t.Keyword == lex.KMonth, t.Keyword == lex.KDay,
		t.Keyword == lex.KHour, t.Keyword == lex.KMinute, t.Keyword == lex.KSecond:
		p.str(p.Name(t), t.Start)
	default:
		p.SyntaxError()
	}
	p.Next()
	p.Expect(lex.KFrom)
	p.raw(", ")
	e := p.Expr()
	return p.end("extract", e.h)
}

// substring emits SUBSTRING in all its forms.
func (p *Translator) substring() Expr {
	src := p.Offset()
	p.At += 2
	at := p.Mark()
	if p.Kind() == lex.RParen {
		p.rawAt("`substring`(", src)
		return p.end("substring", 0)
	}
	h := p.argument()
	syntax := "substring"
	switch p.Keyword() {
	case lex.KFrom:
		p.Next()
		p.raw(", ")
		h = max(h, p.Expr().h)
		if p.Accept(lex.KFor) {
			p.raw(", ")
			h = max(h, p.Expr().h)
		}
	case lex.KFor:
		p.Next()
		mid := p.Mark()
		n := p.Expr()
		if p.Accept(lex.KFrom) {
			length := p.cut(mid)
			p.raw(", ")
			h = max(h, p.Expr().h)
			p.raw(", ")
			p.paste(length)
		} else {
			// The length of FOR alone is forced to integer, as Postgres does.
			p.wrapMarker(mid, marker.MCast, fields("integer", "implicit"), -1)
			p.raw(")")
			p.wrap(mid, ", 1, ", -1)
		}
		h = max(h, n.h)
	case lex.KSimilar:
		p.Next()
		p.raw(", ")
		h = max(h, p.Expr().h)
		p.Expect(lex.KEscape)
		p.raw(", ")
		h = max(h, p.Expr().h)
		syntax = "similar"
	default:
		// SUBSTRING(a, b, c) is a plain call by that name.
		for p.AcceptKind(lex.Comma) {
			p.raw(", ")
			h = max(h, p.argument())
		}
		p.wrap(at, "`substring`(", src)
		return p.end("substring", h)
	}
	p.wrapSQLFunction(at, "substring", syntax, src)
	return p.end("substring", h)
}

// position emits POSITION(b IN a): position(a, b).
func (p *Translator) position() Expr {
	p.begin("position", "position")
	at := p.Mark()
	b := p.BExpr()
	p.Expect(lex.KIn)
	needle := p.cut(at)
	a := p.BExpr()
	p.raw(", ")
	p.paste(needle)
	return p.end("position", max(a.h, b.h))
}

// overlay emits OVERLAY(a PLACING b FROM n [FOR m]), or a plain call.
func (p *Translator) overlay() Expr {
	src := p.Offset()
	p.At += 2
	at := p.Mark()
	if p.Kind() == lex.RParen {
		p.rawAt("`overlay`(", src)
		return p.end("overlay", 0)
	}
	h := p.argument()
	if !p.Accept(lex.KPlacing) {
		for p.AcceptKind(lex.Comma) {
			p.raw(", ")
			h = max(h, p.argument())
		}
		p.wrap(at, "`overlay`(", src)
		return p.end("overlay", h)
	}
	p.raw(", ")
	h = max(h, p.Expr().h)
	p.Expect(lex.KFrom)
	p.raw(", ")
	h = max(h, p.Expr().h)
	if p.Accept(lex.KFor) {
		p.raw(", ")
		h = max(h, p.Expr().h)
	}
	p.wrapSQLFunction(at, "overlay", "overlay", src)
	return p.end("overlay", h)
}

// trim emits TRIM([BOTH|LEADING|TRAILING] [chars] FROM x) and its short forms.
func (p *Translator) trim() Expr {
	src := p.Offset()
	p.At += 2
	name := "btrim"
	switch {
	case p.Accept(lex.KLeading):
		name = "ltrim"
	case p.Accept(lex.KTrailing):
		name = "rtrim"
	default:
		p.Accept(lex.KBoth)
	}
	p.sqlFunction(name, "trim", src)
	at := p.Mark()
	var h int32
	if p.Accept(lex.KFrom) {
		h = p.exprList(0)
		return p.end(name, h)
	}
	h = p.Expr().h
	switch {
	case p.Accept(lex.KFrom):
		chars := p.cut(at)
		h = p.exprList(h)
		p.raw(", ")
		p.paste(chars)
	case p.AcceptKind(lex.Comma):
		p.raw(", ")
		h = p.exprList(h)
	}
	return p.end(name, h)
}

// normalize emits NORMALIZE(x [, form]).
func (p *Translator) normalize() Expr {
	p.begin("normalize", "normalize")
	h := p.Expr().h
	if p.AcceptKind(lex.Comma) {
		switch k := p.Keyword(); k {
		case lex.KNfc, lex.KNfd, lex.KNfkc, lex.KNfkd:
			p.raw(", ")
			p.str(strings.ToUpper(k.String()), p.Offset())
			p.Next()
		default:
			p.SyntaxError()
		}
	}
	return p.end("normalize", h)
}

// emptyArguments reads the parentheses of Phoenix's CURRENT_DATE() and CURRENT_TIME().
func (p *Translator) emptyArguments(t *lex.Token) bool {
	if t.Keyword != lex.KCurrentDate && t.Keyword != lex.KCurrentTime || p.Kind() != lex.LParen || p.Peek(1).Kind != lex.RParen {
		return false
	}
	p.At += 2
	return true
}

// sequenceValue emits Phoenix's NEXT VALUE FOR seq, NEXT n VALUES FOR seq and
// CURRENT VALUE FOR seq.
func (p *Translator) sequenceValue() (Expr, bool) {
	t := p.Token()
	count := (*lex.Token)(nil)
	switch {
	case p.Peek(1).Keyword == lex.KValue && p.Peek(2).Keyword == lex.KFor:
		p.At += 3
	case t.Keyword == lex.KNext && p.Peek(2).Keyword == lex.KValues && p.Peek(3).Keyword == lex.KFor &&
		(p.Peek(1).Kind == lex.Int || p.Peek(1).Kind == lex.Param):
		count = p.Peek(1)
		p.At += 4
	default:
		return Expr{}, false
	}
	p.open(marker.MKeyword, t.Keyword.String()+" value for", t.Start)
	src := p.Offset()
	n := p.Qualified()
	if n.Schema != "" {
		p.ident(n.Schema, src)
		p.raw(".")
		p.ident(n.Name, -1)
	} else {
		p.ident(n.Name, src)
	}
	if count != nil {
		p.raw(", ")
		if count.Kind == lex.Param {
			p.param(count)
		} else {
			p.number(count)
		}
	}
	p.raw(")")
	return Expr{Name: t.Keyword.String() + "val", Strong: 2, h: 1}, true
}
