package builtin

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/expr/jsonfunc"
	"github.com/saltsql/saltsql/internal/expr/regex"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

func init() {
	for _, t := range []types.T{tJSON, tJSONB} {
		name := t.TypName()
		setFn(name+"_array_elements", ts(t), jsonfunc.Elements(name+"_array_elements", false), expr.SetColumn{Name: "value", T: t})
		setFn(name+"_array_elements_text", ts(t), jsonfunc.Elements(name+"_array_elements_text", true), expr.SetColumn{Name: "value", T: tText})
		setFn(name+"_each", ts(t), jsonfunc.Each(name+"_each", false), expr.SetColumn{Name: "key", T: tText}, expr.SetColumn{Name: "value", T: t})
		setFn(name+"_each_text", ts(t), jsonfunc.Each(name+"_each_text", true), expr.SetColumn{Name: "key", T: tText}, expr.SetColumn{Name: "value", T: tText})
		setFn(name+"_object_keys", ts(t), jsonfunc.Keys(name+"_object_keys"), expr.SetColumn{T: tText})
	}
	// As the array functions, an element to a row.
	table := func(name string, of datumFunc, nullable bool, args ...types.T) {
		f := setFn(name, args, func(env *expr.Env, ts []types.T, a []types.Datum) ([][]types.Datum, error) {
			d, err := of(env, ts, a)
			if err == nil {
				err = env.Canceled()
			}
			if err != nil || d.Null {
				return nil, err
			}
			rows := make([][]types.Datum, len(d.Array.Elems))
			for i := range d.Array.Elems {
				rows[i] = d.Array.Elems[i : i+1 : i+1]
			}
			return rows, nil
		}, expr.SetColumn{T: tText})
		f.Nullable = nullable
	}
	table("string_to_table", stringToArray, true, tText, tText)
	table("string_to_table", stringToArray, true, tText, tText, tText)
	split := regexpSplit("regexp_split_to_table")
	table("regexp_split_to_table", split, false, tText, tText)
	table("regexp_split_to_table", split, false, tText, tText, tText)
	setFn("regexp_matches", ts(tText, tText), regexpMatches, expr.SetColumn{T: tTexts})
	setFn("regexp_matches", ts(tText, tText, tText), regexpMatches, expr.SetColumn{T: tTexts})
	setFn("generate_subscripts", ts(tAnyArr, tInt4), subscripts, expr.SetColumn{T: tInt4})
	setFn("generate_subscripts", ts(tAnyArr, tInt4, tBool), subscripts, expr.SetColumn{T: tInt4})
}

// regexpMatches gives an array of the groups of each match, of the first one
// without flag g.
func regexpMatches(env *expr.Env, _ []types.T, a []types.Datum) ([][]types.Datum, error) {
	flags, global, err := regex.ParseFlags(string(textArg(a, 2)))
	if err != nil {
		return nil, err
	}
	re, err := compileRegex(env, string(a[1].Bytes), flags)
	if err != nil {
		return nil, err
	}
	s := a[0].Bytes
	made := eval.Tally{Env: env}
	var rows [][]types.Datum
	for loc := range re.All(s, 0, false) {
		var groups []types.Datum
		for k := vec.Bit(re.NumSub() > 0); k <= re.NumSub(); k++ {
			groups = append(groups, group(s, loc, k))
		}
		row := []types.Datum{types.NewArray(tText, groups)}
		if err := made.Add(eval.RowBytes + types.DatumSize + int(row[0].Behind())); err != nil {
			return nil, err
		}
		if rows = append(rows, row); !global {
			break
		}
	}
	return rows, nil
}

func subscripts(_ *expr.Env, _ []types.T, a []types.Datum) ([][]types.Datum, error) {
	dims := a[0].Array.Dims
	if d := a[1].Int; d < 1 || d > int64(len(dims)) {
		return nil, nil
	}
	n := int64(dims[a[1].Int-1])
	rows := make([][]types.Datum, n)
	for i := range n {
		at := i
		if len(a) > 2 && a[2].Bool {
			at = n - 1 - i
		}
		rows[at] = []types.Datum{types.NewInt(i + 1 + int64(a[0].Array.Low))}
	}
	return rows, nil
}

// SequenceRow gives the one row that a sequence is when it is read as a table; its
// argument is the sequence, as a regclass.
func SequenceRow() (*expr.SetFunc, []expr.SetColumn) {
	f := &expr.SetFunc{Named: true, Rows: func(env *expr.Env, _ []types.T, a []types.Datum) ([][]types.Datum, error) {
		if env.Session == nil {
			return nil, noSession("a sequence's row")
		}
		last, called, err := env.Session.SequenceState(env.Ctx, uint32(a[0].Int))
		// Nothing is logged ahead of use.
		return [][]types.Datum{{types.NewInt(last), types.NewInt(0), types.NewBool(called)}}, err
	}}
	return f, []expr.SetColumn{{Name: "last_value", T: tInt8}, {Name: "log_cnt", T: tInt8}, {Name: "is_called", T: tBool}}
}
