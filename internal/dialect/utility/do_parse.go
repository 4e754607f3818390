package utility

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// do reads DO [LANGUAGE name] 'body' [LANGUAGE name], whose parts come in any order.
func (p reader) do() tree.Utility {
	p.Next()
	d := &tree.Do{}
	body := false
	for {
		switch {
		case p.Kind() == lex.String && !body:
			d.Pos, body = p.Here(), true
			d.Body = p.StringConst()
		case p.Keyword() == lex.KLanguage && d.Language == "":
			p.Next()
			if p.Kind() == lex.String {
				d.Language = p.StringConst()
			} else {
				d.Language = p.Label()
			}
		case p.Kind() == lex.String || p.Keyword() == lex.KLanguage:
			p.Fail(sqlerr.New(sqlerr.SyntaxError, "conflicting or redundant options").At(p.Here()))
		case !body && (p.Kind() == lex.EOF || p.Kind() == lex.Semicolon) && d.Language != "":
			p.Fail(sqlerr.New(sqlerr.SyntaxError, "no inline code specified"))
		case !body:
			p.SyntaxError()
		default:
			return d
		}
	}
}
