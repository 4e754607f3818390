package dialect

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/saltsql/saltsql/internal/dialect/typename"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Parse splits text into statements and translates each. Empty statements are
// left out, so the result may be empty. Errors are *sqlerr.Error: 42601 with a
// position, 54000 and 54001 for size and depth, 22021 for text that is not
// UTF-8 or holds a NUL, 0A000 for syntax that can never be served.
func Parse(text string) ([]*Statement, error) {
	return nil, sqlerr.New(sqlerr.FeatureNotSupported, "not yet")
}

// ParseExpr translates one expression: a stored DEFAULT or CHECK.
func ParseExpr(text string) (Expr, error) {
	return Expr{}, sqlerr.New(sqlerr.FeatureNotSupported, "not yet")
}

// ParseTypeName reads a type name such as "character varying(10)[]".
func ParseTypeName(text string) (*TypeName, error) { return typename.Parse(text) }

// Pos gives the 1-based character position of a node in the text given to
// Parse, as Postgres counts: of an operator for operators and ::, of the name
// for calls, else of the first character. 0 means unknown.
func (s *Statement) Pos(node ast.Node) int { return 0 }

func upper(s string) string { return strings.ToUpper(s) }
