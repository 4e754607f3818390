package utility

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/cursor"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// optionList reads ( name [value], … ): the options of EXPLAIN, ANALYZE and
// VACUUM when loose, WITH (name = value) of tables and indexes otherwise.
func (p reader) optionList(loose bool) []tree.Option {
	p.ExpectKind(lex.LParen)
	var list []tree.Option
	for {
		o := p.optionName()
		switch {
		case p.AcceptOp(lex.OpEQ):
			p.optionValue(&o)
		case loose && p.Kind() != lex.Comma && p.Kind() != lex.RParen:
			p.optionValue(&o)
		}
		list = append(list, o)
		if !p.AcceptKind(lex.Comma) {
			break
		}
	}
	p.ExpectKind(lex.RParen)
	return list
}

// optionName reads [namespace.]name.
func (p reader) optionName() tree.Option {
	o := tree.Option{Pos: p.Here(), Name: strings.ToLower(p.Label())}
	if p.AcceptKind(lex.Dot) {
		o.Namespace, o.Name = o.Name, strings.ToLower(p.Label())
	}
	return o
}

// optionValue reads a string, number, word or ( list ).
func (p reader) optionValue(o *tree.Option) {
	if p.AcceptKind(lex.LParen) {
		o.List = []string{}
		for p.Kind() != lex.RParen {
			v := p.optionScalar()
			o.List = append(o.List, v.Text)
			if !p.AcceptKind(lex.Comma) {
				break
			}
		}
		p.ExpectKind(lex.RParen)
		return
	}
	v := p.optionScalar()
	o.Value, o.Quoted, o.HasValue = v.Text, v.Quoted, true
}

func (p reader) optionScalar() tree.SetValue {
	if n, ok := p.signedNumber(); ok {
		return tree.SetValue{Text: n, Number: true}
	}
	t := p.Token()
	switch t.Kind {
	case lex.String:
		p.Next()
		return tree.SetValue{Text: p.Lex.Value(*t), Quoted: true}
	case lex.QuotedID, lex.Ident:
		p.Next()
		text := p.Name(t)
		for p.Kind() == lex.Dot && cursor.IsLabel(p.Peek(1)) {
			p.Next()
			text += "." + p.Label()
		}
		return tree.SetValue{Text: text}
	}
	p.SyntaxError()
	return tree.SetValue{}
}

// atOption tells whether NAME = or family.NAME = stands here.
func (p reader) atOption() bool {
	if !cursor.IsLabel(p.Token()) {
		return false
	}
	n := 1
	if p.Peek(1).Kind == lex.Dot && cursor.IsLabel(p.Peek(2)) {
		n = 3
	}
	t := p.Peek(n)
	return t.Kind == lex.Op && t.Op == lex.OpEQ
}

// phoenixOptions reads NAME = value, …; commas may be left out.
func (p reader) phoenixOptions() []tree.Option {
	var list []tree.Option
	for p.atOption() {
		o := p.optionName()
		p.Next()
		p.optionValue(&o)
		list = append(list, o)
		if p.Kind() == lex.Comma {
			p.Next()
			if !p.atOption() {
				p.SyntaxError()
			}
		}
	}
	return list
}

// splitOn reads SPLIT ON ( point, … ); a point over several key columns is a
// parenthesised list.
func (p reader) splitOn() [][]tree.SourceExpr {
	p.Next()
	p.Expect(lex.KOn)
	p.ExpectKind(lex.LParen)
	var points [][]tree.SourceExpr
	for {
		var point []tree.SourceExpr
		if p.Kind() == lex.LParen && !p.IsSubquery() && p.endsItem(int(p.Token().Match)+1) {
			p.Next()
			for {
				point = append(point, p.Expression())
				if !p.AcceptKind(lex.Comma) {
					break
				}
			}
			p.ExpectKind(lex.RParen)
		} else {
			point = []tree.SourceExpr{p.Expression()}
		}
		points = append(points, point)
		if !p.AcceptKind(lex.Comma) {
			break
		}
	}
	p.ExpectKind(lex.RParen)
	return points
}

// endsItem tells whether token i ends an item of a parenthesised list.
func (p reader) endsItem(i int) bool {
	if i <= 0 || i >= len(p.Tokens) {
		return false
	}
	k := p.Tokens[i].Kind
	return k == lex.Comma || k == lex.RParen
}

// forward reads FORWARD [FROM (value)] [ON (column)], nil where it does not stand there.
func (p reader) forward() *tree.Forward {
	f := &tree.Forward{Pos: p.Pos(int32(p.Offset()))}
	if !p.AcceptWord("forward") {
		return nil
	}
	if p.Accept(lex.KFrom) {
		p.ExpectKind(lex.LParen)
		e := p.Expression()
		f.From = &e
		p.ExpectKind(lex.RParen)
	}
	if p.Accept(lex.KOn) {
		p.ExpectKind(lex.LParen)
		f.On = p.ColID()
		p.ExpectKind(lex.RParen)
	}
	return f
}
