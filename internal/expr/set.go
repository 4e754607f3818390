package expr

import (
	"slices"
	"strings"
	"sync"

	"github.com/saltsql/saltsql/internal/types"
)

// SetFunc is one overload of a set-returning function.
type SetFunc struct {
	// Named says that the function names its columns; else the only one takes the
	// name of the function or its alias.
	Named bool

	Sig      *Func
	Cols     []SetColumn
	Nullable bool         // called with NULLs; else one gives no rows
	shape    *types.Shape // of Records
	Rows     RowsFunc
}

// SetColumn is a column of what a set-returning function gives.
type SetColumn struct {
	Name string
	T    types.T
}

// RowsFunc gives the rows; ts are the types of the arguments.
type RowsFunc func(env *Env, ts []types.T, args []types.Datum) ([][]types.Datum, error)

var sets = map[string][]*SetFunc{}

// RegisterSet lists an overload; cols without a name are one column.
func RegisterSet(name string, args []types.T, rows RowsFunc, cols ...SetColumn) *SetFunc {
	f := &SetFunc{Named: cols[0].Name != "", Cols: cols, Rows: rows, Sig: NewFunc(name, args, cols[0].T, nil)}
	if !f.Named {
		f.Cols = []SetColumn{{name[strings.LastIndexByte(name, '.')+1:], cols[0].T}} // without its schema
	}
	sets[name] = append(sets[name], f)
	return f
}

// IsSet says whether name is a set-returning function of this package.
func IsSet(name string) bool { return len(sets[name]) > 0 }

// ResolveSet chooses the overload of name and casts its arguments: 42883 if none
// fits.
func ResolveSet(name string, args []Expr, pos int) (*SetFunc, []Expr, []SetColumn, error) {
	cands := make([]*Func, len(sets[name]))
	for i, f := range sets[name] {
		cands[i] = f.Sig
	}
	typs := TypesOf(args)
	sig := exactMatch(cands, typs)
	if sig == nil {
		sig = selectCandidate(typs, cands)
	}
	if sig == nil {
		return nil, nil, nil, noFunction(name, args, severalFit(cands, typs), pos)
	}
	x, err := Apply(sig, args, pos)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, f := range sets[name] {
		if f.Sig == sig {
			c := x.(*Call)
			return f, c.Args, f.columns(c.T), nil
		}
	}
	return nil, nil, nil, noFunction(name, args, false, pos)
}

// columns gives the columns where those of any element type have one.
func (f *SetFunc) columns(elem types.T) []SetColumn {
	cols := slices.Clone(f.Cols)
	for i := range cols {
		if cols[i].T.Kind == KindAnyElement {
			cols[i].T = elem
		}
	}
	return cols
}

// Unnest is unnest of several arrays side by side; the shorter ones end in NULLs.
func Unnest(arrays []Expr) (*SetFunc, []SetColumn) {
	f := &SetFunc{Nullable: true, Rows: func(_ *Env, _ []types.T, args []types.Datum) ([][]types.Datum, error) {
		var rows [][]types.Datum
		for i, a := range args {
			if a.Null {
				continue
			}
			for j, e := range a.Array.Elems {
				if j == len(rows) {
					row := make([]types.Datum, len(args))
					for k := range row {
						row[k] = types.NullDatum
					}
					rows = append(rows, row)
				}
				rows[j][i] = e
			}
		}
		return rows, nil
	}}
	cols := make([]SetColumn, len(arrays))
	for i, a := range arrays {
		cols[i] = SetColumn{"unnest", a.Type().ElemType()}
	}
	return f, cols
}

var recordSets sync.Map // *SetFunc -> *SetFunc: one of each, so that equal calls are equal

// Records gives f with each of its rows as one record. cols are f's for its arguments.
func (f *SetFunc) Records(cols []SetColumn) *SetFunc {
	shape := ShapeOf(cols)
	made, ok := recordSets.Load(f)
	if !ok || made.(*SetFunc).shape != shape {
		made = &SetFunc{Sig: f.Sig, Nullable: f.Nullable, shape: shape, Rows: func(env *Env, ts []types.T, args []types.Datum) ([][]types.Datum, error) {
			rows, err := f.Rows(env, ts, args)
			out := make([][]types.Datum, len(rows))
			for i, r := range rows {
				out[i] = []types.Datum{types.NewRecord(shape, r)}
			}
			return out, err
		}}
		recordSets.Store(f, made)
	}
	return made.(*SetFunc)
}

// ShapeOf gives the shape of the rows that a set-returning function gives.
func ShapeOf(cols []SetColumn) *types.Shape {
	fields := make([]types.Field, len(cols))
	for i, c := range cols {
		fields[i] = types.Field(c)
	}
	return types.ShapeOf("", fields)
}
