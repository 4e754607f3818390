package exec

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/write"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/storage/txn"
)

// FillIndex writes the entries of the rows that t has into one of its indexes: see
// write.FillIndex.
func FillIndex(ctx context.Context, txns *txn.Manager, env *expr.Env, t *catalog.Table, ix *catalog.Index) error {
	return op.MapError(ctx, write.FillIndex(ctx, txns, env, t, ix), []*catalog.Table{t})
}
