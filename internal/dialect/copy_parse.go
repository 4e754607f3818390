package dialect

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// copyStatement reads COPY in the present and the old spellings.
func (p reader) copyStatement() tree.Utility {
	p.next()
	c := &tree.Copy{}
	if p.kw() == lex.KBinary {
		c.Options = append(c.Options, tree.CopyOption{Name: "format", Value: "binary", HasValue: true, Pos: p.here()})
		p.next()
	}
	if p.acceptKind(lex.LParen) {
		c.Query = p.nestedStatement()
		p.expectKind(lex.RParen)
	} else {
		c.Table = p.qualified()
		if p.kind() == lex.LParen {
			c.Columns = p.copyColumns()
		}
	}
	switch {
	case c.Query == nil && p.accept(lex.KFrom):
		c.From = true
	default:
		p.expect(lex.KTo)
	}
	c.Program = p.accept(lex.KProgram)
	switch {
	case p.kind() == lex.String:
		c.Filename = p.stringConst()
	case !c.Program && (p.accept(lex.KStdin) || p.accept(lex.KStdout)):
		c.Stdio = true
	default:
		p.syntaxError()
	}
	if p.kw() == lex.KUsing || p.kw() == lex.KDelimiters {
		p.accept(lex.KUsing)
		o := tree.CopyOption{Name: "delimiter", HasValue: true, Quoted: true, Pos: p.here()}
		p.expect(lex.KDelimiters)
		o.Value = p.stringConst()
		c.Options = append(c.Options, o)
	}
	with := p.accept(lex.KWith)
	if p.kind() == lex.LParen {
		c.Options = append(c.Options, p.copyOptions()...)
	} else {
		n := len(c.Options)
		for p.oldCopyOption(c) {
		}
		if with && n == len(c.Options) && p.kind() != lex.EOF && p.kind() != lex.Semicolon && p.kw() != lex.KWhere {
			p.syntaxError()
		}
	}
	if p.kw() == lex.KWhere {
		if !c.From {
			p.errorAt(p.src(), "WHERE clause not allowed with COPY TO")
		}
		p.next()
		e := p.expression()
		c.Where = &e
	}
	return c
}

func (p reader) copyColumns() []tree.KeyCol {
	p.next()
	var cols []tree.KeyCol
	for {
		k := tree.KeyCol{Pos: p.here(), Name: p.colID()}
		if p.acceptKind(lex.Dot) {
			k.Family, k.Name = k.Name, p.label()
		}
		cols = append(cols, k)
		if !p.acceptKind(lex.Comma) {
			break
		}
	}
	p.expectKind(lex.RParen)
	return cols
}

// copyOptions reads ( name [value], … ).
func (p reader) copyOptions() []tree.CopyOption {
	p.next()
	var list []tree.CopyOption
	for {
		o := tree.CopyOption{Pos: p.here(), Name: strings.ToLower(p.label())}
		switch k := p.kind(); {
		case k == lex.Comma || k == lex.RParen:
		case p.acceptOp(lex.OpMul):
			o.Star = true
		case p.acceptKind(lex.LParen):
			o.List = []string{}
			for {
				o.List = append(o.List, p.setValue().Text)
				if !p.acceptKind(lex.Comma) {
					break
				}
			}
			p.expectKind(lex.RParen)
		case p.kw() == lex.KDefault:
			p.next()
			o.Value, o.HasValue = "default", true
		default:
			v := p.setValue()
			o.Value, o.Quoted, o.HasValue = v.Text, v.Quoted, true
		}
		list = append(list, o)
		if !p.acceptKind(lex.Comma) {
			break
		}
	}
	p.expectKind(lex.RParen)
	return list
}

// oldCopyOption reads one option of the old spelling.
func (p reader) oldCopyOption(c *tree.Copy) bool {
	o := tree.CopyOption{Pos: p.here(), HasValue: true}
	k := p.kw()
	switch k {
	case lex.KBinary, lex.KCsv:
		o.Name, o.Value = "format", k.String()
	case lex.KFreeze, lex.KHeader:
		o.Name, o.Value = k.String(), "true"
	case lex.KDelimiter, lex.KNull, lex.KQuote, lex.KEscape:
		p.next()
		p.accept(lex.KAs)
		o.Name, o.Value, o.Quoted = k.String(), p.stringConst(), true
		c.Options = append(c.Options, o)
		return true
	case lex.KEncoding:
		p.next()
		o.Name, o.Value, o.Quoted = "encoding", p.stringConst(), true
		c.Options = append(c.Options, o)
		return true
	case lex.KForce:
		p.next()
		o.HasValue = false
		switch {
		case p.accept(lex.KQuote):
			o.Name = "force_quote"
			o.Star = p.acceptOp(lex.OpMul)
		case p.accept2(lex.KNot, lex.KNull):
			o.Name = "force_not_null"
		case p.accept(lex.KNull):
			o.Name = "force_null"
		default:
			p.syntaxError()
		}
		for !o.Star {
			o.List = append(o.List, p.colID())
			if !p.acceptKind(lex.Comma) {
				break
			}
		}
		c.Options = append(c.Options, o)
		return true
	default:
		return false
	}
	p.next()
	c.Options = append(c.Options, o)
	return true
}
