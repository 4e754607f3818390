package translate

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// The binding powers of Postgres's grammar, loosest first. A level marked * is
// not associative: a = b = c is a syntax error.
const (
	bpOr      = iota + 1
	bpAnd     //
	bpNot     //
	bpIs      // * IS …, ISNULL, NOTNULL
	bpCompare // * < > = <= >= <>
	bpLike    // * BETWEEN IN LIKE ILIKE SIMILAR
	bpEscape  //
	bpOp      // every other operator
	bpAdd     //
	bpMul     //
	bpPow     //
	bpAt      // AT TIME ZONE
	bpCollate //
	bpUnary   // unary + and -
	bpCast    // subscripts, ::, fields
)

// class says how an emitted expression looks from outside: whether it needs
// parentheses to be an operand.
type class uint8

const (
	atom class = iota
	// Chains of these are left as they are, a AND b AND c: both grammars
	// read them from the left.
	chainOr
	chainAnd
	chainAdd
	chainMul
	compound
)

// maxRun is how many operands of AND and OR are left in one chain, which nests to the
// left. The next ones are put into parentheses, run by run: lists as long as a text can
// be stay low. Both are associative, and their operands keep their order.
const maxRun = 512

// run is the end of a chain that is not yet in parentheses.
type run struct {
	at       int   // the mark of its first operand
	operands int32 // so many
	h        int32 // its height, alone
	before   int32 // the height of what stands before it; 0 is nothing
}

// Expr is what is known of an emitted expression.
type Expr struct {
	// Name is the column name Postgres would give it; strong tells a real
	// name (2) from a fallback such as a cast's type (1) and from none (0).
	Name   string
	Strong uint8
	class  class
	// row is the number of fields of a bare ROW(…) or (a, b), 0 for others.
	row int32
	h   int32 // the height of its tree
	run run   // of a chain of AND or OR
}

func unnamed(c class, h int32) Expr { return Expr{class: c, h: h} }

// Expr emits an expression (a_expr).
func (p *Translator) Expr() Expr { return p.exprAbove(0, false) }

// BExpr emits a restricted expression (b_expr): no AND, OR, NOT, IS NULL,
// LIKE, IN, BETWEEN, AT TIME ZONE or COLLATE at its top.
func (p *Translator) BExpr() Expr { return p.exprAbove(0, true) }

// exprAbove emits an expression whose operators bind at least as tight as min.
func (p *Translator) exprAbove(minBP int, b bool) Expr {
	p.Enter()
	at := p.Mark()
	l := p.unary(b)
	for {
		r, ok := p.infix(at, l, minBP, b)
		if !ok {
			break
		}
		l = r
	}
	p.Leave()
	return l
}

// operand makes what was emitted since the mark fit to be an operand.
func (p *Translator) operand(at int, e Expr) {
	if e.class != atom {
		p.parens(at)
	}
}

func (p *Translator) parens(at int) {
	p.wrap(at, "(", -1)
	p.raw(")")
}

// unary emits a prefix operator with its operand, or a primary.
func (p *Translator) unary(b bool) Expr {
	t := p.Token()
	switch {
	case t.Keyword == lex.KNot && !b:
		p.Next()
		p.rawAt("NOT ", t.Start)
		at := p.Mark()
		e := p.exprAbove(bpNot, false)
		p.operand(at, e)
		return unnamed(compound, p.Taller(e.h, 0))
	case t.Kind == lex.Op && (t.Op == lex.OpAdd || t.Op == lex.OpSub):
		p.Next()
		if t.Op == lex.OpAdd {
			p.rawAt("+", t.Start)
		} else {
			p.rawAt("-", t.Start)
		}
		at := p.Mark()
		e := p.exprAbove(bpUnary, b)
		p.operand(at, e)
		return unnamed(compound, p.Taller(e.h, 0))
	case t.Kind == lex.Op && t.Op == lex.OpOther:
		p.Next()
		p.open(marker.MOp, p.Lex.Raw(*t), t.Start)
		e := p.exprAbove(bpOp+1, b)
		p.raw(")")
		return unnamed(atom, p.Taller(e.h, 0))
	case t.Keyword == lex.KOperator && p.Peek(1).Kind == lex.LParen:
		name, schema := p.operatorName()
		p.open(marker.MOp, opPayload(name, schema), t.Start)
		e := p.exprAbove(bpOp+1, b)
		p.raw(")")
		return unnamed(atom, p.Taller(e.h, 0))
	}
	return p.primary()
}

func opPayload(name, schema string) string {
	if schema == "" {
		return name
	}
	return fields(name, schema)
}

// operatorName reads OPERATOR ( [schema.] op ).
func (p *Translator) operatorName() (name, schema string) {
	p.Expect(lex.KOperator)
	p.ExpectKind(lex.LParen)
	for p.Kind() != lex.Op {
		if schema != "" {
			p.SyntaxError()
		}
		schema = p.ColID()
		p.ExpectKind(lex.Dot)
	}
	name = p.Lex.Raw(*p.Token())
	if name == "!=" {
		name = "<>"
	}
	p.Next()
	p.ExpectKind(lex.RParen)
	return name, schema
}

// native are the operators that MySQL has with the same meaning and arity.
var native = [...]struct {
	text  string
	bp    int
	class class
}{
	lex.OpAdd: {" + ", bpAdd, chainAdd},
	lex.OpSub: {" - ", bpAdd, chainAdd},
	lex.OpMul: {" * ", bpMul, chainMul},
	lex.OpDiv: {" / ", bpMul, chainMul},
	lex.OpMod: {" % ", bpMul, chainMul},
	lex.OpPow: {"", bpPow, atom},
	lex.OpLT:  {" < ", bpCompare, compound},
	lex.OpGT:  {" > ", bpCompare, compound},
	lex.OpEQ:  {" = ", bpCompare, compound},
	lex.OpLE:  {" <= ", bpCompare, compound},
	lex.OpGE:  {" >= ", bpCompare, compound},
	lex.OpNE:  {" <> ", bpCompare, compound},
}

// infix emits one infix or postfix operator over the expression l, which was
// emitted since the mark; ok is false when the next token is none that binds
// at least as tight as min.
func (p *Translator) infix(at int, l Expr, minBP int, b bool) (e Expr, ok bool) {
	t := p.Token()
	switch t.Kind {
	case lex.Op:
		if t.Op == lex.OpOther {
			return p.infixOther(at, l, minBP, b)
		}
		return p.infixNative(at, l, minBP, b)
	case lex.TypeCast:
		return p.castSuffix(at, l), true
	case lex.Ident:
		if t.Keyword != 0 {
			return p.infixKeyword(at, l, minBP, b)
		}
	}
	return l, false
}

func (p *Translator) infixNative(at int, l Expr, minBP int, b bool) (Expr, bool) {
	t := p.Token()
	n := &native[t.Op]
	if n.bp < minBP {
		return l, false
	}
	if !b && p.isQuantifier(1) {
		return p.quantified(at, l, p.Lex.Raw(*t), "", t.Start, 1, minBP)
	}
	p.Next()
	if t.Op == lex.OpPow {
		return p.binaryMarker(at, l, "^", t.Start, bpPow, b), true
	}
	return p.binaryNative(at, l, n.text, t.Start, n.bp, n.class, b), true
}

// binaryNative emits the operator and its right operand.
func (p *Translator) binaryNative(at int, l Expr, text string, src int32, bp int, c class, b bool) Expr {
	if l.class != c || c == compound {
		p.operand(at, l)
	}
	long := l.class == c && l.run.operands == maxRun
	if long {
		p.parens(l.run.at)
	}
	p.rawAt(text, src)
	rat := p.Mark()
	r := p.exprAbove(bp+1, b)
	p.operand(rat, r)
	if bp == bpCompare {
		p.notAgain(bp, b)
	}
	if c != chainAnd && c != chainOr {
		return unnamed(c, p.Taller(l.h, r.h))
	}
	e := unnamed(c, 0)
	switch {
	case long:
		e.run = run{at: rat, operands: 1, h: r.h, before: max(l.run.before, l.run.h) + 1}
	case l.class == c:
		e.run = l.run
		e.run.operands++
		e.run.h = max(e.run.h, r.h) + 1
	default:
		e.run = run{at: at, operands: 2, h: max(l.h, r.h) + 1}
	}
	// The run stands to the right of what is before once it is in parentheses, and adds
	// to its height until then.
	e.h = p.Taller(max(e.run.before, e.run.h), 0) + e.run.operands
	return e
}

// notAgain fails when an operator that is not associative follows another of
// its level.
func (p *Translator) notAgain(bp int, b bool) {
	t := p.Token()
	switch bp {
	case bpCompare:
		if t.Kind == lex.Op && t.Op >= lex.OpLT {
			p.SyntaxError()
		}
	case bpLike:
		switch t.Keyword {
		case lex.KBetween, lex.KIn, lex.KLike, lex.KIlike, lex.KSimilar:
			p.SyntaxError()
		case lex.KNot:
			switch p.Peek(1).Keyword {
			case lex.KBetween, lex.KIn, lex.KLike, lex.KIlike, lex.KSimilar:
				p.SyntaxError()
			}
		}
	case bpIs:
		switch t.Keyword {
		case lex.KIs:
			p.SyntaxError()
		case lex.KIsnull, lex.KNotnull:
			if !b { // where they end the expression
				p.SyntaxError()
			}
		}
	}
}

// binaryMarker emits an operator that is not native, with its right operand.
func (p *Translator) binaryMarker(at int, l Expr, payload string, src int32, bp int, b bool) Expr {
	p.wrapMarker(at, marker.MOp, payload, src)
	p.raw(", ")
	r := p.exprAbove(bp+1, b)
	p.raw(")")
	return unnamed(atom, p.Taller(l.h, r.h))
}

func (p *Translator) infixOther(at int, l Expr, minBP int, b bool) (Expr, bool) {
	if bpOp < minBP {
		return l, false
	}
	t := p.Token()
	name := p.Lex.Raw(*t)
	if !b && p.isQuantifier(1) {
		return p.quantified(at, l, name, "", t.Start, 1, minBP)
	}
	p.Next()
	return p.binaryMarker(at, l, name, t.Start, bpOp, b), true
}

// isQuantifier tells whether ANY, ALL or SOME and a parenthesis stand n tokens
// on.
func (p *Translator) isQuantifier(n int) bool {
	switch p.Peek(n).Keyword {
	case lex.KAny, lex.KAll, lex.KSome:
		return p.Peek(n+1).Kind == lex.LParen
	}
	return false
}

// quantified emits l op ANY|ALL (…), whose quantifier stands skip tokens on.
// It binds like any other operator, whatever the operator is.
func (p *Translator) quantified(at int, l Expr, op, schema string, src int32, skip, minBP int) (Expr, bool) {
	if bpOp < minBP {
		return l, false
	}
	if op == "!=" {
		op = "<>"
	}
	p.At += skip
	kind := marker.MAny
	if p.Keyword() == lex.KAll {
		kind = marker.MAll
	}
	p.Next()
	p.wrapMarker(at, kind, opPayload(op, schema), src)
	p.raw(", ")
	var r Expr
	if p.IsSubquery() {
		r = p.subquery()
	} else {
		p.ExpectKind(lex.LParen)
		r = p.Expr()
		p.ExpectKind(lex.RParen)
	}
	p.raw(")")
	return unnamed(atom, p.Taller(l.h, r.h)), true
}

// castSuffix emits the :: casts that follow.
func (p *Translator) castSuffix(at int, l Expr) Expr {
	src := p.Offset()
	p.Next()
	t := p.TypeName()
	p.noteType(src, t)
	p.wrapMarker(at, marker.MCast, fields(t.String(), "::"), src)
	p.raw(")")
	return castName(l, t, p.Taller(l.h, 0))
}

// castName names a cast: by its operand if that has a name, else by the type.
func castName(l Expr, t *tree.TypeName, h int32) Expr {
	if l.Strong > 1 {
		return Expr{Name: l.Name, Strong: l.Strong, h: h}
	}
	return Expr{Name: t.Name, Strong: 1, h: h}
}
