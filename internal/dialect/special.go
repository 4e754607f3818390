package dialect

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
)

// special emits the functions that have a syntax of their own. What Postgres's
// grammar turns into a call of a pg_catalog function becomes one here too,
// with the arguments in the function's order.
func (p *translator) special() (ex, bool) {
	t := p.tok()
	call := p.peek(1).Kind == lex.LParen
	switch t.Keyword {
	case lex.KCoalesce, lex.KGreatest, lex.KLeast, lex.KGrouping, lex.KNullif:
		if call {
			return p.keywordCall(), true
		}
	case lex.KCurrentDate, lex.KCurrentUser, lex.KSessionUser, lex.KUser, lex.KCurrentRole, lex.KCurrentCatalog:
		p.next()
		p.emptyArguments(t)
		p.call(marker.MKeyword, t.Keyword.String(), t.Start)
		return ex{name: t.Keyword.String(), strong: 2}, true
	case lex.KCurrentSchema:
		if !call && p.peek(1).Kind != lex.Dot {
			p.next()
			p.call(marker.MKeyword, "current_schema", t.Start)
			return ex{name: "current_schema", strong: 2}, true
		}
	case lex.KCurrentTime, lex.KCurrentTimestamp, lex.KLocaltime, lex.KLocaltimestamp:
		p.next()
		p.open(marker.MKeyword, t.Keyword.String(), t.Start)
		if p.emptyArguments(t) {
			call = false
		}
		if call {
			p.next()
			n := p.tok()
			p.intConst()
			p.number(n)
			p.expectKind(lex.RParen)
		}
		p.raw(")")
		return ex{name: t.Keyword.String(), strong: 2}, true
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
		if p.peek(1).Keyword == lex.KFor && p.peek(2).Kind == lex.LParen {
			p.i += 3
			p.sqlFunction("pg_collation_for", "collation for", t.Start)
			e := p.expr()
			p.expectKind(lex.RParen)
			p.raw(")")
			return ex{name: "pg_collation_for", strong: 2, h: p.taller(e.h, 0)}, true
		}
	case lex.KTreat:
		if call {
			p.unsupported(t.Start, "TREAT is not supported", "Use CAST(value AS type).")
		}
	case lex.KXmlattributes, lex.KXmlconcat, lex.KXmlelement, lex.KXmlexists, lex.KXmlforest,
		lex.KXmlnamespaces, lex.KXmlparse, lex.KXmlpi, lex.KXmlroot, lex.KXmlserialize, lex.KXmltable:
		if call {
			p.unsupported(t.Start, "XML functions are not supported", "Build the XML in the client, or keep it as text.")
		}
	}
	return ex{}, false
}

// keywordCall emits COALESCE and its like.
func (p *translator) keywordCall() ex {
	t := p.tok()
	p.i += 2
	p.open(marker.MKeyword, t.Keyword.String(), t.Start)
	h := p.exprListN(t.Keyword == lex.KNullif)
	p.expectKind(lex.RParen)
	p.raw(")")
	return ex{name: t.Keyword.String(), strong: 2, h: p.taller(h, 0)}
}

// exprListN emits a comma list; a pair has exactly two members.
func (p *translator) exprListN(pair bool) int32 {
	if !pair {
		return p.exprList(0)
	}
	a := p.expr()
	p.expectKind(lex.Comma)
	p.raw(", ")
	b := p.expr()
	return max(a.h, b.h)
}

// begin reads the word and the parenthesis of a special call and emits the
// function's head.
func (p *translator) begin(name, syntax string) {
	src := p.src()
	p.i += 2
	p.sqlFunction(name, syntax, src)
}

// end closes a special call.
func (p *translator) end(name string, h int32) ex {
	p.expectKind(lex.RParen)
	p.raw(")")
	return ex{name: name, strong: 2, h: p.taller(h, 0)}
}

// extract emits EXTRACT(field FROM x).
func (p *translator) extract() ex {
	p.begin("extract", "extract")
	t := p.tok()
	switch {
	case t.Kind == lex.String:
		p.str(p.lx.Value(*t), t.Start)
	case t.Kind == lex.QuotedID || t.Kind == lex.Ident && t.Keyword == 0,
		t.Keyword == lex.KYear, t.Keyword == lex.KMonth, t.Keyword == lex.KDay,
		t.Keyword == lex.KHour, t.Keyword == lex.KMinute, t.Keyword == lex.KSecond:
		p.str(p.name(t), t.Start)
	default:
		p.syntaxError()
	}
	p.next()
	p.expect(lex.KFrom)
	p.raw(", ")
	e := p.expr()
	return p.end("extract", e.h)
}

// substring emits SUBSTRING in all its forms.
func (p *translator) substring() ex {
	src := p.src()
	p.i += 2
	at := p.mark()
	if p.kind() == lex.RParen {
		p.rawAt("`substring`(", src)
		return p.end("substring", 0)
	}
	h := p.argument()
	syntax := "substring"
	switch p.kw() {
	case lex.KFrom:
		p.next()
		p.raw(", ")
		h = max(h, p.expr().h)
		if p.accept(lex.KFor) {
			p.raw(", ")
			h = max(h, p.expr().h)
		}
	case lex.KFor:
		p.next()
		mid := p.mark()
		n := p.expr()
		if p.accept(lex.KFrom) {
			length := p.cut(mid)
			p.raw(", ")
			h = max(h, p.expr().h)
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
		p.next()
		p.raw(", ")
		h = max(h, p.expr().h)
		p.expect(lex.KEscape)
		p.raw(", ")
		h = max(h, p.expr().h)
		syntax = "similar"
	default:
		// SUBSTRING(a, b, c) is a plain call by that name.
		for p.acceptKind(lex.Comma) {
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
func (p *translator) position() ex {
	p.begin("position", "position")
	at := p.mark()
	b := p.bexpr()
	p.expect(lex.KIn)
	needle := p.cut(at)
	a := p.bexpr()
	p.raw(", ")
	p.paste(needle)
	return p.end("position", max(a.h, b.h))
}

// overlay emits OVERLAY(a PLACING b FROM n [FOR m]), or a plain call.
func (p *translator) overlay() ex {
	src := p.src()
	p.i += 2
	at := p.mark()
	if p.kind() == lex.RParen {
		p.rawAt("`overlay`(", src)
		return p.end("overlay", 0)
	}
	h := p.argument()
	if !p.accept(lex.KPlacing) {
		for p.acceptKind(lex.Comma) {
			p.raw(", ")
			h = max(h, p.argument())
		}
		p.wrap(at, "`overlay`(", src)
		return p.end("overlay", h)
	}
	p.raw(", ")
	h = max(h, p.expr().h)
	p.expect(lex.KFrom)
	p.raw(", ")
	h = max(h, p.expr().h)
	if p.accept(lex.KFor) {
		p.raw(", ")
		h = max(h, p.expr().h)
	}
	p.wrapSQLFunction(at, "overlay", "overlay", src)
	return p.end("overlay", h)
}

// trim emits TRIM([BOTH|LEADING|TRAILING] [chars] FROM x) and its short forms.
func (p *translator) trim() ex {
	src := p.src()
	p.i += 2
	name := "btrim"
	switch {
	case p.accept(lex.KLeading):
		name = "ltrim"
	case p.accept(lex.KTrailing):
		name = "rtrim"
	default:
		p.accept(lex.KBoth)
	}
	p.sqlFunction(name, "trim", src)
	at := p.mark()
	var h int32
	if p.accept(lex.KFrom) {
		h = p.exprList(0)
		return p.end(name, h)
	}
	h = p.expr().h
	switch {
	case p.accept(lex.KFrom):
		chars := p.cut(at)
		h = p.exprList(h)
		p.raw(", ")
		p.paste(chars)
	case p.acceptKind(lex.Comma):
		p.raw(", ")
		h = p.exprList(h)
	}
	return p.end(name, h)
}

// normalize emits NORMALIZE(x [, form]).
func (p *translator) normalize() ex {
	p.begin("normalize", "normalize")
	h := p.expr().h
	if p.acceptKind(lex.Comma) {
		switch k := p.kw(); k {
		case lex.KNfc, lex.KNfd, lex.KNfkc, lex.KNfkd:
			p.raw(", ")
			p.str(strings.ToUpper(k.String()), p.src())
			p.next()
		default:
			p.syntaxError()
		}
	}
	return p.end("normalize", h)
}

// emptyArguments reads the parentheses of Phoenix's CURRENT_DATE() and CURRENT_TIME().
func (p *translator) emptyArguments(t *lex.Token) bool {
	if t.Keyword != lex.KCurrentDate && t.Keyword != lex.KCurrentTime || p.kind() != lex.LParen || p.peek(1).Kind != lex.RParen {
		return false
	}
	p.i += 2
	return true
}

// sequenceValue emits Phoenix's NEXT VALUE FOR seq, NEXT n VALUES FOR seq and
// CURRENT VALUE FOR seq.
func (p *translator) sequenceValue() (ex, bool) {
	t := p.tok()
	count := (*lex.Token)(nil)
	switch {
	case p.peek(1).Keyword == lex.KValue && p.peek(2).Keyword == lex.KFor:
		p.i += 3
	case t.Keyword == lex.KNext && p.peek(2).Keyword == lex.KValues && p.peek(3).Keyword == lex.KFor &&
		(p.peek(1).Kind == lex.Int || p.peek(1).Kind == lex.Param):
		count = p.peek(1)
		p.i += 4
	default:
		return ex{}, false
	}
	p.open(marker.MKeyword, t.Keyword.String()+" value for", t.Start)
	src := p.src()
	n := p.qualified()
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
	return ex{name: t.Keyword.String() + "val", strong: 2, h: 1}, true
}
