package plancache

import (
	"sync/atomic"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/types"
)

// Shape is what SELECTs have in common that differ in the integers they compare with (see
// dialect.Literals). From the second one on such a text is neither parsed nor planned: it
// is a statement with parameters, of which these are the values. Only where the plan is
// the one that every such text has by itself, so that EXPLAIN shows what runs.
type Shape struct {
	types []types.T                      // of the parameters
	st    atomic.Pointer[tree.Statement] // with parameters
	bad   atomic.Bool                    // does not parse with parameters
	not   atomic.Pointer[func() bool]    // see RefuseWhile
}

// shapeKey is a text with parameters, and their types by letter.
type shapeKey struct{ text, kinds string }

// Shaped is a text whose shape is known.
type Shaped struct {
	Shape     *Shape
	Statement *tree.Statement // with parameters
	Values    []types.Datum   // of the parameters
	Types     []types.T       // all texts of the shape share them
}

// Shaped gives the statement that text is, if its shape was seen before; ok is false where
// it must be parsed.
func (c *Cache[P]) Shaped(text string) (out Shaped, ok bool) {
	if c.shapes == nil || len(text) > maxText {
		return out, false
	}
	var l dialect.Literals
	if !l.Cut(text) {
		return out, false
	}
	key := shapeKey{l.Shape(text), string(l.Kinds[:l.N])}
	sh, ok := c.shapes.Get(key)
	if !ok {
		c.shapes.Add(key, &Shape{types: parameterTypes(key.kinds)}, weightOf(text))
		return out, false
	}
	if sh.bad.Load() {
		return out, false
	}
	if sh.Refused() {
		return out, false
	}
	st := sh.st.Load()
	if st == nil {
		list, err := dialect.Parse(key.text)
		if err != nil || len(list) != 1 || list[0].Utility != nil || len(list[0].Side.Notices) > 0 {
			sh.bad.Store(true)
			return out, false
		}
		st = list[0]
		sh.st.Store(st)
	}
	out = Shaped{Shape: sh, Statement: st, Values: make([]types.Datum, l.N), Types: sh.types}
	for i := range l.N {
		out.Values[i] = types.NewInt(l.Values[i])
	}
	return out, true
}

func parameterTypes(kinds string) []types.T {
	ts := make([]types.T, len(kinds))
	for i, k := range []byte(kinds) {
		if ts[i].Kind = types.Int4; k == '8' {
			ts[i].Kind = types.Int8
		}
	}
	return ts
}

// Text is the text with parameters; "" where none was run by it yet.
func (sh *Shape) Text() string {
	if st := sh.st.Load(); st != nil {
		return st.Text
	}
	return ""
}

// RefuseWhile has the texts of a shape parsed and planned each by itself as long as so, which is
// asked for each.
func (sh *Shape) RefuseWhile(so func() bool) { sh.not.Store(&so) }

// Refused says that they are.
func (sh *Shape) Refused() bool {
	so := sh.not.Load()
	if so == nil {
		return false
	}
	if (*so)() {
		return true
	}
	sh.not.CompareAndSwap(so, nil)
	return false
}
