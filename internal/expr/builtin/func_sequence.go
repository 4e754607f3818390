package builtin

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// The sequence functions name their sequence by a regclass, which a text
// constant becomes.
func init() {
	expr.RegisterFuncs(
		fn("nextval", ts(tRegcl), tInt8, nextVal).Changes(expr.OfSequences),
		fn(expr.PhoenixSchema+".next_values", ts(tRegcl, tInt8), tInt8, datumKernel(nextValues)).Changes(expr.OfSequences).CalledOnNull(),
		fn("unique_rowid", ts(), tInt8, uniqueRowID).AsVolatile(),
		fn("currval", ts(tRegcl), tInt8, datumKernel(func(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			if env.Session == nil {
				return types.NullDatum, noSession("currval")
			}
			v, err := env.Session.CurrVal(uint32(a[0].Int))
			return types.NewInt(v), err
		})).Reads(expr.OfSequences),
		fn("lastval", ts(), tInt8, argFree(func(env *expr.Env) (types.Datum, error) {
			if env.Session == nil {
				return types.NullDatum, noSession("lastval")
			}
			v, err := env.Session.LastVal()
			return types.NewInt(v), err
		})).Reads(expr.OfSequences),
		fn("setval", ts(tRegcl, tInt8), tInt8, datumKernel(setVal)).Changes(expr.OfSequences),
		fn("setval", ts(tRegcl, tInt8, tBool), tInt8, datumKernel(setVal)).Changes(expr.OfSequences),
		fn("pg_get_serial_sequence", ts(tText, tText), tText, datumKernel(serialSequence)).AsStable(),
	)
}

// nextVal draws for as many rows at once as name one sequence.
func nextVal(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
	if env.Session == nil {
		return noSession("nextval")
	}
	seqs := args[0].Ints
	for len(sel) > 0 {
		n := 1
		for n < len(sel) && seqs[sel[n]] == seqs[sel[0]] {
			n++
		}
		first, step, got, err := env.Session.NextVal(env.Ctx, uint32(seqs[sel[0]]), n)
		if err != nil {
			return err
		}
		for k, i := range sel[:got] {
			out.Ints[i] = first + step*int64(k)
		}
		sel = sel[got:]
	}
	return nil
}

// nextValues is Phoenix's NEXT n VALUES FOR: the first of n values.
func nextValues(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	switch {
	case env.Session == nil:
		return types.NullDatum, noSession("next_values")
	case a[0].Null:
		return types.NullDatum, nil
	case a[1].Null || a[1].Int < 1:
		return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, "the number of values to take from a sequence must be over 0")
	}
	first, err := env.Session.NextBlock(env.Ctx, uint32(a[0].Int), int(a[1].Int))
	return types.NewInt(first), err
}

// uniqueRowID gives the hidden keys of new rows.
func uniqueRowID(env *expr.Env, sel []uint16, _ []*vec.Vec, out *vec.Vec) error {
	if env.Session == nil {
		return noSession("unique_rowid")
	}
	first, step := env.Session.RowIDs(len(sel))
	for k, i := range sel {
		out.Ints[i] = first + step*int64(k)
	}
	return nil
}

func setVal(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	if env.Session == nil {
		return types.NullDatum, noSession("setval")
	}
	called := len(a) < 3 || a[2].Bool
	return a[1], env.Session.SetVal(env.Ctx, uint32(a[0].Int), a[1].Int, called)
}

func serialSequence(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	if env.Session == nil {
		return types.NullDatum, noSession("pg_get_serial_sequence")
	}
	name, err := env.Session.SerialSequence(string(a[0].Bytes), string(a[1].Bytes))
	if err != nil || name == "" {
		return types.NullDatum, err
	}
	return types.NewText(name), nil
}
