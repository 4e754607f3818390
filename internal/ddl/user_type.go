package ddl

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/usertype"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// alterUserType is ALTER TYPE of a type that users made.
func (r *Runner) alterUserType(ctx context.Context, u *tree.AlterUserType) (catalog.Notices, error) {
	name := r.catalogName(u.Name)
	switch {
	case u.AddValue != nil:
		v := u.AddValue
		return r.Catalog.AddEnumValue(ctx, name, usertype.EnumValue{
			Text: v.Text, Neighbour: v.Neighbour, HasNeighbour: v.HasNeighbour, After: v.After, IfNotExists: v.IfNotExists,
		})
	case u.RenameValue != nil:
		return nil, r.Catalog.RenameEnumValue(ctx, name, u.RenameValue[0], u.RenameValue[1])
	case u.Owner != nil:
		owner, err := r.Role(*u.Owner)
		if err != nil {
			return nil, err
		}
		return nil, r.Catalog.ChangeTypeOwner(ctx, name, owner, u.Domain)
	case u.Schema != "":
		return nil, r.Catalog.MoveType(ctx, name, u.Schema, u.Domain)
	}
	return nil, r.Catalog.RenameType(ctx, name, u.NewName, u.Domain)
}
