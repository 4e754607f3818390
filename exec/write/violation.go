package write

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/entry"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// indexViolation is 23505 for the row at slot, whose entry another row has. exists is false where
// an index cannot be made for it.
func indexViolation(x *entry.Maker, slot int, env *expr.Env, exists bool) error {
	return indexViolationOf(x, func(n int) types.Datum { return x.Part(n, slot) }, env, exists)
}

// duplicateEntry is indexViolation for the key of an entry that two rows have.
func duplicateEntry(x *entry.Maker, key []byte, env *expr.Env, exists bool) error {
	vals, err := x.Index.Codec().Key.DecodeKey(key)
	if err != nil {
		return err
	}
	return indexViolationOf(x, func(n int) types.Datum {
		return vals[slices.IndexFunc(x.Index.Key, func(k catalog.IndexKey) bool { return k.Part == n })]
	}, env, exists)
}

func indexViolationOf(x *entry.Maker, part func(n int) types.Datum, env *expr.Env, exists bool) error {
	var names, vals []byte
	for n := range x.Index.Parts {
		if n > 0 {
			names, vals = append(names, ", "...), append(vals, ", "...)
		}
		names = append(names, x.Table.PartText(&x.Index.Parts[n])...)
		vals = appendShown(vals, x.Index.Parts[n].Type, part(n), env)
	}
	e := sqlerr.New(sqlerr.UniqueViolation, "duplicate key value violates unique constraint %q", x.Index.Name).
		WithDetail("Key (%s)=(%s) already exists.", names, vals)
	if !exists {
		e = sqlerr.New(sqlerr.UniqueViolation, "could not create unique index %q", x.Index.Name).
			WithDetail("Key (%s)=(%s) is duplicated.", names, vals)
	}
	return e.WithConstraint(x.Table.Name, x.Index.Name).InSchema(x.Table.Schema)
}
