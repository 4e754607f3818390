package utility

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// copyStatement reads COPY in the present and the old spellings.
func (p reader) copyStatement() tree.Utility {
	p.Next()
	c := &tree.Copy{}
	if p.Keyword() == lex.KBinary {
		c.Options = append(c.Options, tree.CopyOption{Name: "format", Value: "binary", HasValue: true, Pos: p.Here()})
		p.Next()
	}
	if p.AcceptKind(lex.LParen) {
		c.Query = p.nestedStatement()
		p.ExpectKind(lex.RParen)
	} else {
		c.Table = p.Qualified()
		if p.Kind() == lex.LParen {
			c.Columns = p.copyColumns()
		}
	}
	switch {
	case c.Query == nil && p.Accept(lex.KFrom):
		c.From = true
	default:
		p.Expect(lex.KTo)
	}
	c.Program = p.Accept(lex.KProgram)
	switch {
	case p.Kind() == lex.String:
		c.Filename = p.StringConst()
	case !c.Program && (p.Accept(lex.KStdin) || p.Accept(lex.KStdout)):
		c.Stdio = true
	default:
		p.SyntaxError()
	}
	if p.Keyword() == lex.KUsing || p.Keyword() == lex.KDelimiters {
		p.Accept(lex.KUsing)
		o := tree.CopyOption{Name: "delimiter", HasValue: true, Quoted: true, Pos: p.Here()}
		p.Expect(lex.KDelimiters)
		o.Value = p.StringConst()
		c.Options = append(c.Options, o)
	}
	with := p.Accept(lex.KWith)
	if p.Kind() == lex.LParen {
		c.Options = append(c.Options, p.copyOptions()...)
	} else {
		n := len(c.Options)
		for p.oldCopyOption(c) {
		}
		if with && n == len(c.Options) && p.Kind() != lex.EOF && p.Kind() != lex.Semicolon && p.Keyword() != lex.KWhere {
			p.SyntaxError()
		}
	}
	if p.Keyword() == lex.KWhere {
		if !c.From {
			p.ErrorAt(p.Offset(), "WHERE clause not allowed with COPY TO")
		}
		p.Next()
		e := p.Expression()
		c.Where = &e
	}
	return c
}

func (p reader) copyColumns() []tree.KeyCol {
	p.Next()
	var cols []tree.KeyCol
	for {
		k := tree.KeyCol{Pos: p.Here(), Name: p.ColID()}
		if p.AcceptKind(lex.Dot) {
			k.Family, k.Name = k.Name, p.Label()
		}
		cols = append(cols, k)
		if !p.AcceptKind(lex.Comma) {
			break
		}
	}
	p.ExpectKind(lex.RParen)
	return cols
}

// copyOptions reads ( name [value], … ).
func (p reader) copyOptions() []tree.CopyOption {
	p.Next()
	var list []tree.CopyOption
	for {
		o := tree.CopyOption{Pos: p.Here(), Name: strings.ToLower(p.Label())}
		switch k := p.Kind(); {
		case k == lex.Comma || k == lex.RParen:
		case p.AcceptOp(lex.OpMul):
			o.Star = true
		case p.AcceptKind(lex.LParen):
			o.List = []string{}
			for {
				o.List = append(o.List, p.setValue().Text)
				if !p.AcceptKind(lex.Comma) {
					break
				}
			}
			p.ExpectKind(lex.RParen)
		case p.Keyword() == lex.KDefault:
			p.Next()
			o.Value, o.HasValue = "default", true
		default:
			v := p.setValue()
			o.Value, o.Quoted, o.HasValue = v.Text, v.Quoted, true
		}
		list = append(list, o)
		if !p.AcceptKind(lex.Comma) {
			break
		}
	}
	p.ExpectKind(lex.RParen)
	return list
}

// oldCopyOption reads one option of the old spelling.
func (p reader) oldCopyOption(c *tree.Copy) bool {
	o := tree.CopyOption{Pos: p.Here(), HasValue: true}
	k := p.Keyword()
	switch k {
	case lex.KBinary, lex.KCsv:
		o.Name, o.Value = "format", k.String()
	case lex.KFreeze, lex.KHeader:
		o.Name, o.Value = k.String(), "true"
	case lex.KDelimiter, lex.KNull, lex.KQuote, lex.KEscape:
		p.Next()
		p.Accept(lex.KAs)
		o.Name, o.Value, o.Quoted = k.String(), p.StringConst(), true
		c.Options = append(c.Options, o)
		return true
	case lex.KEncoding:
		p.Next()
		o.Name, o.Value, o.Quoted = "encoding", p.StringConst(), true
		c.Options = append(c.Options, o)
		return true
	case lex.KForce:
		p.Next()
		o.HasValue = false
		switch {
		case p.Accept(lex.KQuote):
			o.Name = "force_quote"
			o.Star = p.AcceptOp(lex.OpMul)
		case p.Accept2(lex.KNot, lex.KNull):
			o.Name = "force_not_null"
		case p.Accept(lex.KNull):
			o.Name = "force_null"
		default:
			p.SyntaxError()
		}
		for !o.Star {
			o.List = append(o.List, p.ColID())
			if !p.AcceptKind(lex.Comma) {
				break
			}
		}
		c.Options = append(c.Options, o)
		return true
	default:
		return false
	}
	p.Next()
	c.Options = append(c.Options, o)
	return true
}
