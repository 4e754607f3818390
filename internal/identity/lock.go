package identity

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// lockRights are what LOCK TABLE asks for, one of them, by its mode. These modes conflict
// with none but those of DDL, which does not wait for open blocks here: the lock is what a
// SELECT or UPDATE of the table would have taken.
var lockRights = map[string]acl.Right{
	"access share":  acl.Select,
	"row share":     acl.Update | acl.Delete | acl.Truncate,
	"row exclusive": acl.Insert | acl.Update | acl.Delete | acl.Truncate,
}

// MayLock is LOCK TABLE, names being looked for in the schemas of path: 0A000 in modes that keep
// others from writing or reading.
func (i *Identity) MayLock(path []string, u *tree.LockTable) error {
	want, ok := lockRights[u.Mode]
	if !ok {
		return sqlerr.Unsupported("LOCK TABLE in a mode that keeps others out is not supported",
			"Rows are locked as they are written; SELECT … FOR UPDATE locks those that are read, and pg_advisory_xact_lock keeps out whoever asks for the same number.")
	}
	for _, n := range u.Tables {
		r, err := i.Of.Resolve(path, n.Schema, n.Name)
		if err != nil {
			return sqlerr.As(err).At(n.Pos)
		}
		switch r.RelKind() {
		case "table", "view":
		default:
			return sqlerr.New(sqlerr.WrongObjectType, `cannot lock relation "%s"`, r.RelName()).
				WithDetail("This operation is not supported for %ss.", r.RelKind())
		}
		if have, _ := i.Of.RelationRights(i.Current.ID, r); have&want == 0 {
			return catalog.Denied(r.RelKind(), r.RelName())
		}
	}
	return nil
}
