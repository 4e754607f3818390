package translate

import (
	"github.com/saltsql/saltsql/internal/dialect/cursor"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/dialect/typename"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// nameOrCall emits a column reference, a function call, or a constant of a
// type that is a plain name.
func (p *Translator) nameOrCall(at int) Expr {
	first := p.Token()
	n := 1 // tokens of the dotted name
	for p.Peek(n).Kind == lex.Dot && cursor.IsLabel(p.Peek(n+1)) {
		n += 2
	}
	follow := p.Peek(n)
	switch {
	case follow.Kind == lex.String && isFuncOrDotted(first, n):
		return p.namedConst()
	case follow.Kind == lex.LParen && isFuncOrDotted(first, n):
		if follow.Match >= 0 && p.Peek(int(follow.Match)+1-p.At).Kind == lex.String {
			return p.namedConst()
		}
		return p.function(n)
	}
	if !cursor.IsColID(first) {
		p.SyntaxError()
	}
	return p.column(at)
}

// isFuncOrDotted tells whether a dotted name of n tokens may name a function
// or a type.
func isFuncOrDotted(first *lex.Token, n int) bool {
	if n > 1 {
		return cursor.IsColID(first)
	}
	return cursor.IsFuncName(first)
}

// namedConst emits type 'text' or type(mods) 'text' for any other type.
func (p *Translator) namedConst() Expr {
	src := p.Offset()
	ty, next, err := typename.ReadBase(&p.Lex, p.At)
	if err != nil {
		p.Fail(sqlerr.As(err))
	}
	p.At = next
	return p.constOfType(ty, src)
}

// column emits a column reference, or t.* inside an expression.
func (p *Translator) column(at int) Expr {
	first := p.Token()
	name := p.Name(first)
	p.Next()
	if p.Kind() != lex.Dot {
		p.ident(name, first.Start)
		return p.indirection(at, Expr{Name: name, Strong: 2})
	}
	var array [4]string
	array[0] = name
	names := array[:1]
	for p.Kind() == lex.Dot {
		t := p.Peek(1)
		if t.Kind == lex.Op && t.Op == lex.OpMul {
			p.At += 2
			return p.wholeRow(names, first.Start)
		}
		p.Next()
		names = append(names, p.Label())
	}
	if len(names) > 3 {
		names = p.InDatabase(first.Start, 3, names, "")
	}
	p.ident(names[0], first.Start)
	for _, s := range names[1:] {
		p.raw(".")
		p.ident(s, -1)
	}
	return p.indirection(at, Expr{Name: names[len(names)-1], Strong: 2})
}

func (p *Translator) wholeRow(names []string, src int32) Expr {
	if len(names) > 2 {
		names = p.InDatabase(src, 2, names, ".*")
	}
	if len(names) == 1 {
		p.call(marker.MWhole, names[0], src)
	} else {
		p.call(marker.MWhole, fields(names[1], names[0]), src)
	}
	return Expr{}
}

// function emits a call of a function whose name has n tokens.
func (p *Translator) function(n int) Expr {
	first := p.Token()
	names := []string{p.Name(first)}
	p.Next()
	for range n / 2 {
		p.Next()
		names = append(names, p.Label())
	}
	if len(names) > 2 {
		names = p.InDatabase(first.Start, 2, names, "")
	}
	name := names[len(names)-1]
	p.ident(names[0], first.Start)
	if len(names) == 2 {
		p.raw(".")
		p.ident(name, -1)
	}
	p.raw("(")
	h, conflict := p.arguments()
	h = max(h, p.callTail(conflict))
	p.raw(")")
	return Expr{Name: name, Strong: 2, h: p.Taller(h, 0)}
}

// comma separates the arguments of the call whose parenthesis is the last
// piece before the mark.
func (p *Translator) comma(begin int) {
	if p.Mark() > begin {
		p.raw(", ")
	}
}

// arguments emits what stands between the parentheses of a call, and tells
// what in it WITHIN GROUP does not go with.
func (p *Translator) arguments() (h int32, conflict string) {
	p.ExpectKind(lex.LParen)
	begin := p.Mark()
	if p.AcceptKind(lex.RParen) {
		return 0, ""
	}
	if p.AcceptOp(lex.OpMul) {
		p.call(marker.MStar, marker.Nothing, -1)
		p.ExpectKind(lex.RParen)
		return 0, ""
	}
	var quantifier string
	if p.Accept(lex.KDistinct) {
		quantifier, conflict = marker.MDistinct, "DISTINCT"
	} else if p.Accept(lex.KAll) {
		quantifier = marker.MAllRows
	}
	for {
		variadic := p.Keyword() == lex.KVariadic
		if variadic {
			if conflict == "" {
				conflict = "VARIADIC"
			}
			p.open(marker.MVariadic, marker.Nothing, p.Offset())
			p.Next()
		}
		h = max(h, p.argument())
		if variadic {
			p.raw(")")
			break
		}
		if !p.AcceptKind(lex.Comma) {
			break
		}
		p.raw(", ")
	}
	if quantifier != "" {
		p.comma(begin)
		p.call(quantifier, marker.Nothing, -1)
	}
	if p.Accept2(lex.KOrder, lex.KBy) {
		h = max(h, p.orderMarkers(begin))
		conflict = "multiple ORDER BY clauses"
	}
	p.ExpectKind(lex.RParen)
	return h, conflict
}

// argument emits one argument, positional or named.
func (p *Translator) argument() int32 {
	if k := p.Peek(1).Kind; (k == lex.ColonEq || k == lex.Arrow) && cursor.IsFuncName(p.Token()) {
		p.open(marker.MArg, p.Name(p.Token()), p.Offset())
		p.At += 2
		e := p.Expr()
		p.raw(")")
		return p.Taller(e.h, 0)
	}
	return p.Expr().h
}

// callTail emits WITHIN GROUP, FILTER and OVER as last arguments.
func (p *Translator) callTail(conflict string) int32 {
	var h int32
	sep := func() {
		if last := &p.pieces[len(p.pieces)-1]; last.mode != pieceRaw || last.text != "(" || last.prefix != 0 {
			p.raw(", ")
		}
	}
	if p.Keyword() == lex.KWithin && p.Peek(1).Keyword == lex.KGroup {
		if conflict != "" {
			p.ErrorAt(p.Offset(), "cannot use %s with WITHIN GROUP", conflict)
		}
		sep()
		p.open(marker.MWithin, marker.Nothing, p.Offset())
		p.At += 2
		p.ExpectKind(lex.LParen)
		p.Expect(lex.KOrder)
		p.Expect(lex.KBy)
		h = max(h, p.orderMarkers(p.Mark()))
		p.ExpectKind(lex.RParen)
		p.raw(")")
	}
	if p.Keyword() == lex.KFilter && p.Peek(1).Kind == lex.LParen {
		sep()
		p.open(marker.MFilter, marker.Nothing, p.Offset())
		p.At += 2
		p.Expect(lex.KWhere)
		h = max(h, p.Expr().h)
		p.ExpectKind(lex.RParen)
		p.raw(")")
	}
	if p.Keyword() == lex.KOver {
		switch t := p.Peek(1); {
		case t.Kind == lex.LParen:
			sep()
			p.Next()
			h = max(h, p.windowSpec(p.Offset()))
		case cursor.IsColID(t):
			sep()
			p.At++
			p.call(marker.MOver, fields(p.Name(t), "bare"), p.Offset())
			p.At++
		}
	}
	return h
}

// orderMarkers emits the items of an ORDER BY as arguments.
func (p *Translator) orderMarkers(begin int) int32 {
	var h int32
	for {
		p.comma(begin)
		at := p.Mark()
		e, dir := p.orderItem()
		h = max(h, e.h)
		p.wrapMarker(at, marker.MOrder, dir.payload(), -1)
		p.raw(")")
		if !p.AcceptKind(lex.Comma) {
			return p.Taller(h, 0)
		}
	}
}

// direction is what may follow an ORDER BY expression.
type direction struct {
	desc   bool
	nulls  string // "", "first" or "last"
	using  string
	schema string
}

func (d direction) payload() string {
	dir := "asc"
	if d.desc {
		dir = "desc"
	}
	switch {
	case d.using != "":
		return fields(dir, d.nulls, d.using, d.schema)
	case d.nulls != "":
		return fields(dir, d.nulls)
	}
	return dir
}

// orderItem emits the expression of an ORDER BY item and reads the rest.
func (p *Translator) orderItem() (Expr, direction) {
	e := p.Expr()
	var d direction
	switch {
	case p.Accept(lex.KAsc):
	case p.Accept(lex.KDesc):
		d.desc = true
	case p.Accept(lex.KUsing):
		if p.Keyword() == lex.KOperator {
			d.using, d.schema = p.operatorName()
		} else {
			if p.Kind() != lex.Op {
				p.SyntaxError()
			}
			d.using = p.Lex.Raw(*p.Token())
			p.Next()
		}
	}
	if p.Keyword() == lex.KNulls {
		switch p.Peek(1).Keyword {
		case lex.KFirst:
			d.nulls = "first"
		case lex.KLast:
			d.nulls = "last"
		default:
			p.Next()
			p.SyntaxError()
		}
		p.At += 2
	}
	return e, d
}
