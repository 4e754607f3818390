package jsonfunc

import (
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/jsonval"
)

// MaxNulls is how many nulls are put before an element that lies behind the end of an array.
//
//saltsql:limit types: nulls put into a jsonb array by the assignment of an element behind its end (54000)
const MaxNulls = 1 << 20

// SetPart is the assignment to a part of a document, SET j['a'][2] = value: document, value,
// path, and whether the first step of the path is an integer. Unlike jsonb_set it makes what
// the path lacks, objects for texts and arrays for numbers, and keeps the places of elements:
// nulls fill an array up, and nothing is put before its first element. NULL is a document
// without parts, and as a value null.
func SetPart(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	if a[2].Null {
		return types.NullDatum, nil
	}
	if err := oneDimension(a[2].Array); err != nil {
		return types.NullDatum, err
	}
	e := &pathEdit{create: true, gaps: true, value: &jsonval.Value{Kind: jsonval.Null}, path: a[2].Array.Elems}
	if len(e.path) == 0 {
		return a[0], nil
	}
	for _, step := range e.path {
		if step.Null {
			return types.NullDatum, sqlerr.New(sqlerr.NullValueNotAllowed, "jsonb subscript in assignment must not be null")
		}
	}
	var err error
	if !a[1].Null {
		if e.value, err = jsonval.Parse(string(a[1].Bytes)); err != nil {
			return types.NullDatum, err
		}
	}
	v := &jsonval.Value{Kind: jsonval.Object}
	switch {
	case !a[0].Null:
		if v, err = jsonval.Parse(string(a[0].Bytes)); err != nil {
			return types.NullDatum, err
		}
	case !a[3].Null && a[3].Bool:
		v.Kind = jsonval.Array
	}
	if err := e.apply(v, 0); err != nil {
		return types.NullDatum, err
	}
	return datum(v), nil
}

func notComposite() error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "cannot replace existing key").
		WithDetail("The path assumes key is a composite object, but it is a scalar value.")
}

// partOfArray sets element n of v, or goes on in it.
func (e *pathEdit) partOfArray(v *jsonval.Value, n int64, level int) error {
	size := int64(len(v.Elems))
	last := level == len(e.path)-1
	switch {
	case n < -size:
		return sqlerr.New(sqlerr.InvalidParameterValue, "path element at position %d is out of range: %d", level+1, n)
	case n < 0:
		n += size
	}
	switch {
	case n < size && last:
		v.Elems[n] = e.value
		return nil
	case n < size:
		return e.apply(v.Elems[n], level+1)
	}
	if err := fill(v, n-size); err != nil {
		return err
	}
	value := e.value
	if !last {
		var err error
		if value, err = e.chain(level + 1); err != nil {
			return err
		}
	}
	v.Elems = append(v.Elems, value)
	return nil
}

// addChain gives an object a key with all that the rest of the path names.
func (e *pathEdit) addChain(v *jsonval.Value, key string, level int) error {
	value, err := e.chain(level + 1)
	if err != nil {
		return err
	}
	v.Keys, v.Elems = append(v.Keys, key), append(v.Elems, value)
	v.Normalize()
	return nil
}

// chain makes what the path from level on names.
func (e *pathEdit) chain(level int) (*jsonval.Value, error) {
	value := e.value
	for i := len(e.path) - 1; i >= level; i-- {
		step := string(e.path[i].Bytes)
		n, err := strconv.ParseInt(strings.TrimLeft(step, " \t\n\v\f\r"), 10, 64)
		if err != nil {
			value = &jsonval.Value{Kind: jsonval.Object, Keys: []string{step}, Elems: []*jsonval.Value{value}}
			continue
		}
		list := &jsonval.Value{Kind: jsonval.Array}
		if err := fill(list, n); err != nil {
			return nil, err
		}
		list.Elems = append(list.Elems, value)
		value = list
	}
	return value, nil
}

// fill puts nulls behind the elements of an array.
func fill(v *jsonval.Value, n int64) error {
	if n > MaxNulls {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "number of jsonb array elements exceeds the maximum allowed (%d)", MaxNulls)
	}
	for ; n > 0; n-- {
		v.Elems = append(v.Elems, &jsonval.Value{Kind: jsonval.Null})
	}
	return nil
}
