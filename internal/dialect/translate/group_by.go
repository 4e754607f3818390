package translate

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
)

// groupBy emits the items of GROUP BY.
func (p *Translator) groupBy() int32 {
	if p.Keyword() == lex.KDistinct {
		p.Next()
		p.call(marker.MGroup, "distinct", -1)
		p.raw(", ")
	} else {
		p.Accept(lex.KAll)
	}
	return p.groupItems()
}

func (p *Translator) groupItems() int32 {
	var h int32
	for {
		h = max(h, p.groupItem())
		if !p.AcceptKind(lex.Comma) {
			return p.Taller(h, 0)
		}
		p.raw(", ")
	}
}

func (p *Translator) groupItem() int32 {
	p.Enter()
	defer p.Leave()
	src := p.Offset()
	kind := ""
	switch {
	case p.Keyword() == lex.KGrouping && p.Peek(1).Keyword == lex.KSets && p.Peek(2).Kind == lex.LParen:
		kind = "sets"
		p.At += 3
	case p.Keyword() == lex.KCube && p.Peek(1).Kind == lex.LParen:
		kind = "cube"
		p.At += 2
	case p.Keyword() == lex.KRollup && p.Peek(1).Kind == lex.LParen:
		kind = "rollup"
		p.At += 2
	case p.Kind() == lex.LParen && p.Peek(1).Kind == lex.RParen:
		p.At += 2
		p.call(marker.MGroup, "empty", src)
		return 0
	default:
		return p.Expr().h
	}
	p.open(marker.MGroup, kind, src)
	h := p.groupItems()
	p.ExpectKind(lex.RParen)
	p.raw(")")
	return h
}
