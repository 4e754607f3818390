package plpgsql

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Caught puts what a handler has caught in the place of the words SQLERRM and SQLSTATE of its SQL. A text
// that cannot be read stays, for its parser to say why.
func Caught(text string, err *sqlerr.Error) string {
	var read lex.Tokens
	if read.Read(text) != nil {
		return text
	}
	var b strings.Builder
	from := int32(0)
	for i, t := range read.Toks {
		if t.Kind != lex.Ident || i > 0 && read.Toks[i-1].Kind == lex.Dot {
			continue
		}
		value := ""
		switch strings.ToLower(read.Raw(t)) {
		case "sqlerrm":
			value = err.Message
		case "sqlstate":
			value = err.SQLState()
		default:
			continue
		}
		b.WriteString(text[from:t.Start])
		b.WriteString(ident.Literal(value))
		from = t.End
	}
	b.WriteString(text[from:])
	return b.String()
}
