package viewtext

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/planner/bind/query"
)

// Bare gives the text of a query without the names that nothing sees.
func Bare(ctx *query.Context, stmt *tree.Statement) (string, error) {
	_, bare, err := captured(ctx, stmt, nil, 0)
	return bare, err
}
