package builtin

import (
	"strconv"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/jsonfunc"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Records as values: made, taken apart, tested. The functions here are of one shape and are
// kept beside it, so that equal calls are equal.

func init() {
	tRecord := types.Of(types.Record)
	expr.RegisterFuncs(
		fn("row_to_json", ts(tRecord), tJSON, datumKernel(jsonfunc.FromRow)).AsStable(),
		fn("row_to_json", ts(tRecord, tBool), tJSON, datumKernel(jsonfunc.FromRow)).AsStable(),
	)
	for op := expr.CmpEQ; op <= expr.CmpGE; op++ {
		expr.RegisterOps(fn(expr.CmpNames[op], ts(tRecord, tRecord), tBool, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			c, err := compareRecords(a[0].Array, a[1].Array)
			return types.NewBool(op.Test(c)), err
		})))
	}
}

// compareRecords orders as the btree operators do, by which two NULL fields are equal:
// 42804 for records that are not alike.
func compareRecords(a, b *types.ArrayValue) (int, error) {
	for i := range min(len(a.Elems), len(b.Elems)) {
		at, bt := a.FieldType(i), b.FieldType(i)
		if at.Bare() != bt.Bare() {
			return 0, sqlerr.New(sqlerr.DatatypeMismatch, "cannot compare dissimilar column types %s and %s at record column %d",
				at.Base(), bt.Base(), i+1)
		}
		if c := types.Compare(at, a.Elems[i], b.Elems[i]); c != 0 {
			return c, nil
		}
	}
	if len(a.Elems) != len(b.Elems) {
		return 0, sqlerr.New(sqlerr.DatatypeMismatch, "cannot compare record types with different numbers of columns")
	}
	return 0, nil
}

// MakeRow makes a record of fields, whose types are the shape's.
func MakeRow(shape *types.Shape, fields []expr.Expr, pos int) expr.Expr {
	f := shape.Kept("row", func() any {
		args := make([]types.T, len(shape.Fields))
		for i := range args {
			args[i] = shape.Fields[i].T
		}
		return fn("row", args, types.RecordOf(shape), datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			elems := make([]types.Datum, len(a))
			for i := range a {
				elems[i] = a[i].Clone(shape.Fields[i].T)
			}
			return types.NewRecord(shape, elems), types.CheckNested(shape, elems)
		})).CalledOnNull()
	})
	return &expr.Call{Fn: f.(*expr.Func), Args: fields, T: types.RecordOf(shape), At: pos}
}

// Row makes ROW(…), whose fields are called f1, f2 and so on.
func Row(fields []expr.Expr, pos int) (expr.Expr, error) {
	cols := make([]types.Field, len(fields))
	out := make([]expr.Expr, len(fields))
	for i, x := range fields {
		x, err := expr.ResolveUnknown(x)
		if err != nil {
			return nil, err
		}
		out[i], cols[i] = x, types.Field{Name: "f" + strconv.Itoa(i+1), T: x.Type()}
	}
	return MakeRow(types.ShapeOf("", cols), out, pos), nil
}

// RowFields gives what a record is made of, where it is one that MakeRow has made.
func RowFields(x expr.Expr) ([]expr.Expr, bool) {
	c, ok := x.(*expr.Call)
	if !ok || c.T.Kind != types.Record || c.T.Shape() == nil || c.Fn.Name != "row" {
		return nil, false
	}
	return c.Args, true
}

// RecordField makes (x).name of a record: 42703.
func RecordField(x expr.Expr, name string, pos int) (expr.Expr, error) {
	shape := x.Type().Shape()
	for i, c := range shape.Fields {
		if c.Name == name {
			return FieldAt(x, i, pos), nil
		}
	}
	if shape.Table() {
		return nil, sqlerr.New(sqlerr.UndefinedColumn, `column "%s" not found in data type %s`, name, shape.Name).At(pos)
	}
	return nil, sqlerr.New(sqlerr.UndefinedColumn, `could not identify column "%s" in record data type`, name).At(pos)
}

// FieldAt makes the field at an index of x, a record whose shape is known.
func FieldAt(x expr.Expr, i, pos int) expr.Expr {
	if fields, ok := RowFields(x); ok && !expr.Volatile(x) {
		return fields[i]
	}
	shape := x.Type().Shape()
	field := shape.Fields[i]
	f := shape.Kept(i, func() any {
		return fn("("+field.Name+")", ts(types.RecordOf(shape)), field.T,
			datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) { return a[0].Array.Elems[i], nil }))
	})
	return &expr.Call{Fn: f.(*expr.Func), Args: []expr.Expr{x}, T: field.T, At: pos}
}

// FieldOf gives the record and the name of the field that x takes of it; ok is false where x
// is no call that FieldAt has made.
func FieldOf(x *expr.Call) (of expr.Expr, name string, ok bool) {
	if len(x.Args) != 1 || x.Args[0].Type().Kind != types.Record || x.Args[0].Type().Shape() == nil {
		return nil, "", false
	}
	for _, f := range x.Args[0].Type().Shape().Fields {
		if x.Fn.Name == "("+f.Name+")" {
			return x.Args[0], f.Name, true
		}
	}
	return nil, "", false
}

// recordTests are IS NULL, true of a NULL and of a record whose fields are all NULL, and
// IS NOT NULL, true of a record of which none is.
var recordTests = map[bool]*expr.Func{false: recordTest("IS NULL", false), true: recordTest("IS NOT NULL", true)}

func recordTest(name string, not bool) *expr.Func {
	return fn(name, ts(types.Of(types.Record)), tBool, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		if a[0].Null {
			return types.NewBool(!not), nil
		}
		for _, e := range a[0].Array.Elems {
			if e.Null == not {
				return types.NewBool(false), nil
			}
		}
		return types.NewBool(true), nil
	})).CalledOnNull()
}

// RecordNullTest makes x IS [NOT] NULL of a record.
func RecordNullTest(x expr.Expr, not bool, pos int) expr.Expr {
	return &expr.Call{Fn: recordTests[not], Args: []expr.Expr{x}, T: tBool, At: pos}
}
