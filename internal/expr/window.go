package expr

import (
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// WindowFunc is one overload of a window function that is not an aggregate:
// row_number, rank, lag and so on. What computes it is exec's window operator.
type WindowFunc struct {
	Name string
	Args []types.T // as ResolveWindow has cast the arguments
	T    types.T
	// OfFrame: its value depends on the frame (first_value, last_value, nth_value); the others
	// see the partition.
	OfFrame bool
}

// windows lists the overloads by name.
var windows = map[string][]*Func{}

// RegisterWindow adds an overload of a window function.
func RegisterWindow(f *Func) { windows[f.Name] = append(windows[f.Name], f) }

// ofFrame are the functions that see the frame.
var ofFrame = map[string]bool{"first_value": true, "last_value": true, "nth_value": true}

// IsWindow says whether name is a window function that is not an aggregate. Some of them
// are ordered-set aggregates too: which is meant OVER or WITHIN GROUP says.
func IsWindow(name string) bool { return len(windows[name]) > 0 }

// ResolveWindow chooses the overload of window function name for name(args) OVER … and
// casts the arguments: 42883 if none fits, 0A000 for an ordered-set aggregate of
// that name.
func ResolveWindow(name string, args []Expr, pos int) (*WindowFunc, []Expr, error) {
	if hypothetical[name] && len(args) > 0 {
		return nil, nil, sqlerr.New(sqlerr.FeatureNotSupported, "OVER is not supported for ordered-set aggregate %s", name).At(pos)
	}
	cands := windows[name]
	typs := TypesOf(args)
	f := exactMatch(cands, typs)
	if f == nil {
		f = selectCandidate(typs, cands)
	}
	if f == nil {
		return nil, nil, noFunction(name, args, severalFit(cands, typs), pos)
	}
	x, err := Apply(f, args, pos)
	if err != nil {
		return nil, nil, err
	}
	c := x.(*Call)
	w := &WindowFunc{Name: name, T: c.T, OfFrame: ofFrame[name]}
	for _, a := range c.Args {
		w.Args = append(w.Args, a.Type())
	}
	return w, c.Args, nil
}

// withoutOver is what a call of a window function as if it were a scalar one is told; nil
// if name(args) is none.
func withoutOver(name string, args []Expr, pos int) error {
	typs := TypesOf(args)
	for _, f := range windows[name] {
		if f.fits(typs) {
			return sqlerr.New(sqlerr.WrongObjectType, "window function %s requires an OVER clause", name).At(pos)
		}
	}
	if hypothetical[name] && len(args) > 0 {
		return sqlerr.New(sqlerr.WrongObjectType, "WITHIN GROUP is required for ordered-set aggregate %s", name).At(pos)
	}
	return nil
}
