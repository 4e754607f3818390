package govalue

import (
	"fmt"
	"slices"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Datums are Go's values as parameters of the types given.
func Datums(room []types.Datum, args []any, ts []types.T, env *types.IOEnv) ([]types.Datum, error) {
	params := slices.Grow(room[:0], len(args))[:len(args)]
	for i, a := range args {
		d, err := ToDatum(a, ts[i], env)
		if err != nil {
			return nil, OfValue(err, fmt.Sprintf("argument $%d", i+1))
		}
		params[i] = d
	}
	return params, nil
}

// OfValue says where the value stands that an error is about.
func OfValue(err error, where string) error {
	e := sqlerr.As(err)
	if e == nil {
		return fmt.Errorf("saltsql: %s: %w", where, err)
	}
	of := *e
	of.AddWhere(where)
	return &of
}
