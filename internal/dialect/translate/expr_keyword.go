package translate

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// infixKeyword emits the operators that are words.
func (p *Translator) infixKeyword(at int, l Expr, minBP int, b bool) (Expr, bool) {
	t := p.Token()
	if b {
		switch t.Keyword {
		case lex.KIs, lex.KOperator:
		default:
			return l, false
		}
	}
	switch t.Keyword {
	case lex.KOr:
		if bpOr < minBP {
			return l, false
		}
		p.Next()
		return p.binaryNative(at, l, " OR ", t.Start, bpOr, chainOr, b), true
	case lex.KAnd:
		if bpAnd < minBP {
			return l, false
		}
		p.Next()
		return p.binaryNative(at, l, " AND ", t.Start, bpAnd, chainAnd, b), true
	case lex.KIs:
		if bpIs < minBP {
			return l, false
		}
		return p.is(at, l, b)
	case lex.KIsnull, lex.KNotnull:
		if bpIs < minBP {
			return l, false
		}
		p.Next()
		text := " IS NULL"
		if t.Keyword == lex.KNotnull {
			text = " IS NOT NULL"
		}
		p.operand(at, l)
		p.rawAt(text, t.Start)
		return unnamed(compound, p.Taller(l.h, 0)), true
	case lex.KNot:
		switch p.Peek(1).Keyword {
		case lex.KBetween, lex.KIn, lex.KLike, lex.KIlike, lex.KSimilar:
			if bpLike < minBP {
				return l, false
			}
			p.Next()
			return p.likeIn(at, l, true, t.Start), true
		}
	case lex.KBetween, lex.KIn, lex.KLike, lex.KIlike, lex.KSimilar:
		// SUBSTRING(a SIMILAR b ESCAPE c) is not SIMILAR TO.
		if bpLike < minBP || t.Keyword == lex.KSimilar && p.Peek(1).Keyword != lex.KTo {
			return l, false
		}
		return p.likeIn(at, l, false, t.Start), true
	case lex.KOperator:
		if bpOp < minBP || p.Peek(1).Kind != lex.LParen {
			return l, false
		}
		name, schema := p.operatorName()
		if !b && p.isQuantifier(0) {
			return p.quantified(at, l, name, schema, t.Start, 0, minBP)
		}
		return p.binaryMarker(at, l, opPayload(name, schema), t.Start, bpOp, b), true
	case lex.KAt:
		if bpAt < minBP || p.Peek(1).Keyword != lex.KTime {
			return l, false
		}
		p.Next()
		p.Next()
		p.Expect(lex.KZone)
		// timezone(zone, time): the operands change places.
		left := p.cut(at)
		p.sqlFunction("timezone", "at time zone", t.Start)
		r := p.exprAbove(bpAt+1, b)
		p.raw(", ")
		p.paste(left)
		p.raw(")")
		return Expr{Name: "timezone", Strong: 2, h: p.Taller(l.h, r.h)}, true
	case lex.KCollate:
		if bpCollate < minBP {
			return l, false
		}
		p.Next()
		n := p.AnyName()
		p.wrapMarker(at, marker.MCollate, namePayload(n), t.Start)
		p.raw(")")
		return Expr{Name: l.Name, Strong: l.Strong, h: p.Taller(l.h, 0)}, true
	case lex.KOverlaps:
		if l.row == 0 {
			return l, false
		}
		return p.overlaps(at, l), true
	}
	return l, false
}

// overlaps emits (a, b) OVERLAPS (c, d); the decoder makes four arguments of
// the two rows.
func (p *Translator) overlaps(at int, l Expr) Expr {
	src := p.Offset()
	if l.row != 2 {
		p.ErrorAt(src, "wrong number of parameters on left side of OVERLAPS expression")
	}
	p.Next()
	p.wrapSQLFunction(at, "overlaps", "overlaps", src)
	p.raw(", ")
	begin := p.Offset()
	r := p.primary()
	if r.row == 0 {
		p.SyntaxError()
	}
	if r.row != 2 {
		p.ErrorAt(begin, "wrong number of parameters on right side of OVERLAPS expression")
	}
	p.raw(")")
	return Expr{Name: "overlaps", Strong: 2, h: p.Taller(l.h, r.h)}
}

// sqlFunction begins a call of one of Postgres's functions that stands for SQL
// syntax; the syntax is the second field of the name.
func (p *Translator) sqlFunction(name, syntax string, src int32) {
	p.rawAt("`pg_catalog`.", src)
	p.ident(fields(name, syntax), -1)
	p.raw("(")
}

// wrapSQLFunction is sqlFunction before a mark.
func (p *Translator) wrapSQLFunction(at int, name, syntax string, src int32) {
	p.wrapMarker(at, "pg_catalog", fields(name, syntax), src)
}

// AnyName reads a possibly qualified name of anything.
func (p *Translator) AnyName() tree.Name { return p.Qualified() }

// namePayload is name[, schema].
func namePayload(n tree.Name) string {
	if n.Schema == "" {
		return n.Name
	}
	return fields(n.Name, n.Schema)
}

// is emits what follows IS.
func (p *Translator) is(at int, l Expr, b bool) (Expr, bool) {
	src := p.Offset()
	n := 1
	not := p.Peek(1).Keyword == lex.KNot
	if not {
		n = 2
	}
	h := p.Taller(l.h, 0)
	word := p.Peek(n)
	if b && word.Keyword != lex.KDistinct && word.Keyword != lex.KDocument {
		return l, false
	}
	native, special := "", ""
	switch word.Keyword {
	case lex.KNull:
		native = "NULL"
	case lex.KTrue:
		native = "TRUE"
	case lex.KFalse:
		native = "FALSE"
	case lex.KUnknown:
		special = "unknown"
	case lex.KDocument:
		special = "document"
	case lex.KDistinct:
		p.At += n + 1
		p.Expect(lex.KFrom)
		return p.distinctFrom(at, l, not, src, b), true
	case lex.KNormalized, lex.KNfc, lex.KNfd, lex.KNfkc, lex.KNfkd:
		p.At += n
		return p.isNormalized(at, l, not, src), true
	default:
		p.At += n
		p.SyntaxError()
	}
	p.At += n + 1
	if native != "" {
		p.operand(at, l)
		if not {
			p.rawAt(" IS NOT ", src)
		} else {
			p.rawAt(" IS ", src)
		}
		p.raw(native)
		return unnamed(compound, h), true
	}
	if not {
		special = "is not " + special
	} else {
		special = "is " + special
	}
	p.wrapMarker(at, marker.MSpecial, special, src)
	p.raw(")")
	return unnamed(atom, h), true
}

// distinctFrom emits IS [NOT] DISTINCT FROM: MySQL's <=> is its negation.
func (p *Translator) distinctFrom(at int, l Expr, not bool, src int32, b bool) Expr {
	p.operand(at, l)
	p.rawAt(" <=> ", src)
	rat := p.Mark()
	r := p.exprAbove(bpIs+1, b)
	p.operand(rat, r)
	p.notAgain(bpIs, b)
	h := p.Taller(l.h, r.h)
	if !not {
		p.wrap(at, "NOT (", src)
		p.raw(")")
	}
	return unnamed(compound, h)
}

// isNormalized emits x IS [NOT] [form] NORMALIZED.
func (p *Translator) isNormalized(at int, l Expr, not bool, src int32) Expr {
	p.wrapSQLFunction(at, "is_normalized", "is normalized", src)
	if k := p.Keyword(); k != lex.KNormalized {
		p.raw(", ")
		p.str(strings.ToUpper(k.String()), p.Offset())
		p.Next()
	}
	p.Expect(lex.KNormalized)
	p.raw(")")
	if not {
		p.wrap(at, "NOT ", src)
		return unnamed(compound, p.Taller(l.h, 0))
	}
	return Expr{Name: "is_normalized", Strong: 2, h: p.Taller(l.h, 0)}
}

// likeIn emits [NOT] BETWEEN, IN, LIKE, ILIKE and SIMILAR TO; NOT is behind.
func (p *Translator) likeIn(at int, l Expr, not bool, src int32) Expr {
	k := p.Keyword()
	switch k {
	case lex.KBetween:
		return p.between(at, l, not, src)
	case lex.KIn:
		p.Next()
		p.operand(at, l)
		if not {
			p.rawAt(" NOT IN ", src)
		} else {
			p.rawAt(" IN ", src)
		}
		if p.IsSubquery() {
			r := p.subquery()
			return unnamed(compound, p.Taller(l.h, r.h))
		}
		p.ExpectKind(lex.LParen)
		p.raw("(")
		h := p.exprList(l.h)
		p.ExpectKind(lex.RParen)
		p.raw(")")
		return unnamed(compound, p.Taller(h, 0))
	}
	op := "~~"
	syntax := "like"
	switch k {
	case lex.KIlike:
		op, syntax = "~~*", "ilike"
	case lex.KSimilar:
		p.Next()
		if p.Keyword() != lex.KTo {
			p.SyntaxError()
		}
		op, syntax = "similar to", "similar to"
	}
	if not {
		syntax = "not " + syntax
		if k == lex.KSimilar {
			op = syntax
		} else {
			op = "!" + op
		}
	}
	p.Next()
	if k != lex.KSimilar && p.isQuantifier(0) {
		e, _ := p.quantified(at, l, op, "", src, 0, 0)
		return e
	}
	p.wrapMarker(at, marker.MOp, fields(op, "", syntax), src)
	p.raw(", ")
	r := p.exprAbove(bpLike+1, false)
	h := p.Taller(l.h, r.h)
	if p.Accept(lex.KEscape) {
		p.raw(", ")
		e := p.exprAbove(bpLike+1, false)
		h = p.Taller(h, e.h)
	}
	p.raw(")")
	p.notAgain(bpLike, false)
	return unnamed(atom, h)
}

// between emits [NOT] BETWEEN [SYMMETRIC] low AND high.
func (p *Translator) between(at int, l Expr, not bool, src int32) Expr {
	p.Next()
	symmetric := p.Accept(lex.KSymmetric)
	if !symmetric {
		p.Accept(lex.KAsymmetric)
	}
	if symmetric {
		payload := "between symmetric"
		if not {
			payload = "not between symmetric"
		}
		p.wrapMarker(at, marker.MSpecial, payload, src)
		p.raw(", ")
	} else {
		p.operand(at, l)
		if not {
			p.rawAt(" NOT BETWEEN ", src)
		} else {
			p.rawAt(" BETWEEN ", src)
		}
	}
	low := p.Mark()
	a := p.BExpr()
	p.Expect(lex.KAnd)
	if symmetric {
		p.raw(", ")
	} else {
		p.operand(low, a)
		p.raw(" AND ")
	}
	high := p.Mark()
	b := p.exprAbove(bpLike+1, false)
	h := p.Taller(p.Taller(l.h, a.h), b.h)
	p.notAgain(bpLike, false)
	if symmetric {
		p.raw(")")
		return unnamed(atom, h)
	}
	p.operand(high, b)
	return unnamed(compound, h)
}

// exprList emits a comma list and gives the height over it and h.
func (p *Translator) exprList(h int32) int32 {
	for {
		e := p.Expr()
		h = max(h, e.h)
		if !p.AcceptKind(lex.Comma) {
			return h
		}
		p.raw(", ")
	}
}
