package authz

import "github.com/saltsql/saltsql/catalog/change"

// Authority changes who may do what.
type Authority struct{ keeper *change.Keeper }

// NewAuthority gives what makes such changes through k.
func New(k *change.Keeper) Authority { return Authority{k} }
