package ddl

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
)

// openEpoch carries out ALTER TABLE … SET SALT_BUCKETS = n FORWARD.
func (r *Runner) openEpoch(ctx context.Context, u *tree.AlterTable, a *tree.AlterAction) (catalog.Notices, error) {
	f, defs := a.Forward, optionDefs(a.Options)
	for _, d := range defs {
		if _, err := catalog.FindOption(d); err != nil {
			return nil, err
		}
	}
	switch {
	case len(u.Actions) > 1:
		return nil, unsupportedAt(f.Pos, "Write an ALTER TABLE of its own for it.", "SET SALT_BUCKETS ... FORWARD beside other actions is not supported")
	case !live.OfSalt(defs):
		return nil, unsupportedAt(f.Pos, "Set other options by a statement of its own: they hold for all rows.", "FORWARD is of SALT_BUCKETS and SALT_COLUMNS alone")
	case r.Temp != "":
		return nil, unsupportedAt(f.Pos, "Leave FORWARD out: its rows are of this session alone.", "SET SALT_BUCKETS ... FORWARD of a temporary table is not supported")
	}
	forward := &live.Forward{Options: defs, On: f.On, Pos: f.Pos}
	if f.From != nil {
		forward.From = func(t types.T) (types.Datum, error) {
			d, err := planner.EvalConstant(r.Host.Planner(), f.From, t)
			if err == nil && d.Null {
				err = sqlerr.New(sqlerr.NullValueNotAllowed, "the beginning of a salt epoch cannot be NULL").At(f.From.Pos)
			}
			return d, err
		}
	}
	return r.Catalog.OpenEpoch(ctx, r.catalogName(u.Name), u.IfExists, forward)
}
