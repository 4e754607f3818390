package dialect

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/translate"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/dialect/typename"
	"github.com/saltsql/saltsql/internal/dialect/utility"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// MaxStatementSize is the longest text that Parse takes, in bytes.
const MaxStatementSize = translate.MaxTextSize

// Parse splits text into statements and translates each. Empty statements are
// left out, so the result may be empty. Errors are *sqlerr.Error: 42601 with a
// position, 54000 and 54001 for size and depth, 22021 for text that is not
// UTF-8 or holds a NUL, 0A000 for syntax that can never be served. Like
// Postgres, it gives no statement at all when one of them is wrong.
func Parse(text string) ([]*tree.Statement, error) { return parse(text, nil, nil) }

// What a token of a text takes about, in bytes.
const (
	// tokenBytes is while trees are made: as a token, in the translated text, in the parser's tree
	// and in ours.
	tokenBytes = 400
	treeBytes  = 60 // in a statement
)

// Held is about how many bytes parsed statements take, beside their text.
func Held(list []*tree.Statement) int64 {
	n := int64(0)
	for _, st := range list {
		n += treeBytes * int64(st.Tokens)
	}
	return n
}

// ParseWithin is Parse for who counts memory: need is asked for the bytes that parsing takes
// before the text is read, and its error is ParseWithin's.
func ParseWithin(text string, need func(bytes int64) error) ([]*tree.Statement, error) {
	return parse(text, nil, need)
}

func parse(text string, traced translate.Trace, need func(bytes int64) error) ([]*tree.Statement, error) {
	var stmts []*tree.Statement
	err := translate.WithText(text, func(p *translate.Translator) {
		if need != nil {
			if err := need(int64(len(text) + tokenBytes*len(p.Tokens))); err != nil {
				p.Fail(sqlerr.As(err))
			}
		}
		p.Traced = traced
		for p.Kind() != lex.EOF {
			p.Nested = 0
			if p.AcceptKind(lex.Semicolon) {
				continue
			}
			st := utility.Statement(p)
			st.Whole = text
			st.Side.Notices, st.Databases = p.TakeNotices(), p.TakeDatabases()
			stmts = append(stmts, st)
			if p.Kind() != lex.EOF {
				p.ExpectKind(lex.Semicolon)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return stmts, nil
}

// ParseExpr translates one expression: a stored DEFAULT or CHECK.
func ParseExpr(text string) (tree.SourceExpr, error) {
	var e tree.SourceExpr
	err := translate.WithText(text, func(p *translate.Translator) {
		e = p.Expression()
		if p.Kind() != lex.EOF {
			p.SyntaxError()
		}
	})
	return e, err
}

// ParseKeyColumns reads the columns of a key, as in `host, ts DESC`; parentheses may be
// around them.
func ParseKeyColumns(text string) ([]tree.KeyCol, error) {
	var cols []tree.KeyCol
	err := translate.WithText(text, func(p *translate.Translator) {
		cols = utility.KeyColumns(p)
		if p.Kind() != lex.EOF {
			p.SyntaxError()
		}
	})
	return cols, err
}

// ParseTypeName reads a type name such as "character varying(10)[]".
func ParseTypeName(text string) (*tree.TypeName, error) { return typename.Parse(text) }
