package authz

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
)

// Authority changes who may do what.
type Authority struct{ keeper *change.Keeper }

// NewAuthority gives what makes such changes through k.
func New(k *change.Keeper) Authority { return Authority{k} }

// change is a change of who may do what, in force on all servers of the store when it returns.
// Where the wait fails it has been made all the same.
func (a Authority) change(ctx context.Context, fn func(*change.Change) error) (catalog.Notices, error) {
	s, notices, err := a.keeper.Change(ctx, fn)
	if err == nil {
		err = a.keeper.AwaitServers(ctx, nil, s.Version())
	}
	return notices, err
}
