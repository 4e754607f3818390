package dialect

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// optionList reads ( name [value], … ): the options of EXPLAIN, ANALYZE and
// VACUUM when loose, WITH (name = value) of tables and indexes otherwise.
func (p reader) optionList(loose bool) []tree.Option {
	p.expectKind(lex.LParen)
	var list []tree.Option
	for {
		o := p.optionName()
		switch {
		case p.acceptOp(lex.OpEQ):
			p.optionValue(&o)
		case loose && p.kind() != lex.Comma && p.kind() != lex.RParen:
			p.optionValue(&o)
		}
		list = append(list, o)
		if !p.acceptKind(lex.Comma) {
			break
		}
	}
	p.expectKind(lex.RParen)
	return list
}

// optionName reads [namespace.]name.
func (p reader) optionName() tree.Option {
	o := tree.Option{Pos: p.here(), Name: strings.ToLower(p.label())}
	if p.acceptKind(lex.Dot) {
		o.Namespace, o.Name = o.Name, strings.ToLower(p.label())
	}
	return o
}

// optionValue reads a string, number, word or ( list ).
func (p reader) optionValue(o *tree.Option) {
	if p.acceptKind(lex.LParen) {
		o.List = []string{}
		for p.kind() != lex.RParen {
			v := p.optionScalar()
			o.List = append(o.List, v.Text)
			if !p.acceptKind(lex.Comma) {
				break
			}
		}
		p.expectKind(lex.RParen)
		return
	}
	v := p.optionScalar()
	o.Value, o.Quoted, o.HasValue = v.Text, v.Quoted, true
}

func (p reader) optionScalar() tree.SetValue {
	if n, ok := p.signedNumber(); ok {
		return tree.SetValue{Text: n, Number: true}
	}
	t := p.tok()
	switch t.Kind {
	case lex.String:
		p.next()
		return tree.SetValue{Text: p.lx.Value(*t), Quoted: true}
	case lex.QuotedID, lex.Ident:
		p.next()
		text := p.name(t)
		for p.kind() == lex.Dot && isLabel(p.peek(1)) {
			p.next()
			text += "." + p.label()
		}
		return tree.SetValue{Text: text}
	}
	p.syntaxError()
	return tree.SetValue{}
}

// atOption tells whether NAME = or family.NAME = stands here.
func (p reader) atOption() bool {
	if !isLabel(p.tok()) {
		return false
	}
	n := 1
	if p.peek(1).Kind == lex.Dot && isLabel(p.peek(2)) {
		n = 3
	}
	t := p.peek(n)
	return t.Kind == lex.Op && t.Op == lex.OpEQ
}

// phoenixOptions reads NAME = value, …; commas may be left out.
func (p reader) phoenixOptions() []tree.Option {
	var list []tree.Option
	for p.atOption() {
		o := p.optionName()
		p.next()
		p.optionValue(&o)
		list = append(list, o)
		if p.kind() == lex.Comma {
			p.next()
			if !p.atOption() {
				p.syntaxError()
			}
		}
	}
	return list
}

// splitOn reads SPLIT ON ( point, … ); a point over several key columns is a
// parenthesised list.
func (p reader) splitOn() [][]tree.SourceExpr {
	p.next()
	p.expect(lex.KOn)
	p.expectKind(lex.LParen)
	var points [][]tree.SourceExpr
	for {
		var point []tree.SourceExpr
		if p.kind() == lex.LParen && !p.isSubquery() && p.endsItem(int(p.tok().Match)+1) {
			p.next()
			for {
				point = append(point, p.expression())
				if !p.acceptKind(lex.Comma) {
					break
				}
			}
			p.expectKind(lex.RParen)
		} else {
			point = []tree.SourceExpr{p.expression()}
		}
		points = append(points, point)
		if !p.acceptKind(lex.Comma) {
			break
		}
	}
	p.expectKind(lex.RParen)
	return points
}

// endsItem tells whether token i ends an item of a parenthesised list.
func (p reader) endsItem(i int) bool {
	if i <= 0 || i >= len(p.toks) {
		return false
	}
	k := p.toks[i].Kind
	return k == lex.Comma || k == lex.RParen
}
