package expr_test

import (
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

func colOf(t *testing.T, name string) expr.Expr {
	t.Helper()
	ty, err := types.FromName(name, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	return &expr.Col{T: ty}
}

// literal is an untyped literal.
func literal(s string) expr.Expr {
	return &expr.Const{Value: types.NewBytes([]byte(s)), T: types.Of(types.Unknown)}
}

func TestResolveWindow(t *testing.T) {
	for _, c := range []struct {
		name string
		args []expr.Expr
		want string // the type, or the error
	}{
		{"row_number", nil, "bigint"},
		{"percent_rank", nil, "double precision"},
		{"ntile", []expr.Expr{colOf(t, "int2")}, "integer"},
		{"lag", []expr.Expr{colOf(t, "text")}, "text"},
		{"lag", []expr.Expr{colOf(t, "int4"), colOf(t, "int4"), colOf(t, "numeric")}, "numeric"},
		{"lead", []expr.Expr{colOf(t, "numeric"), colOf(t, "int4"), colOf(t, "int4")}, "numeric"},
		{"lead", []expr.Expr{colOf(t, "date"), colOf(t, "int4"), literal("2024-01-01")}, "date"},
		{"first_value", []expr.Expr{colOf(t, "_int4")}, "integer[]"},
		{"nth_value", []expr.Expr{colOf(t, "jsonb"), literal("2")}, "jsonb"},
		{"lag", []expr.Expr{literal("x")}, "could not determine polymorphic type because input has type unknown"},
		{"lag", []expr.Expr{colOf(t, "int4"), colOf(t, "int4"), colOf(t, "text")}, "function lag(integer, integer, text) does not exist"},
		{"ntile", []expr.Expr{colOf(t, "int8")}, "function ntile(bigint) does not exist"},
		{"row_number", []expr.Expr{colOf(t, "int4")}, "function row_number(integer) does not exist"},
		{"rank", []expr.Expr{colOf(t, "int4")}, "OVER is not supported for ordered-set aggregate rank"},
	} {
		f, args, err := expr.ResolveWindow(c.name, c.args, 1)
		got := ""
		if err != nil {
			got = sqlerr.As(err).Message
		} else {
			got = f.T.String()
			for i, a := range args {
				if a.Type() != f.Args[i] {
					t.Errorf("%s: argument %d is %v, not %v", c.name, i, a.Type(), f.Args[i])
				}
			}
		}
		if got != c.want {
			t.Errorf("%s%v: %q, want %q", c.name, c.args, got, c.want)
		}
	}
	if _, err := expr.ResolveFunc("row_number", nil, 1); err == nil || sqlerr.CodeOf(err) != sqlerr.WrongObjectType {
		t.Errorf("row_number() without OVER: %v", err)
	}
}

func TestResolveInRange(t *testing.T) {
	for _, c := range []struct {
		key    string
		offset expr.Expr
		want   string // the types of offset and shift, or the error
	}{
		{"int4", colOf(t, "int4"), "integer bigint"},
		{"int2", colOf(t, "int8"), "bigint bigint"},
		{"int4", colOf(t, "numeric"), "RANGE with offset PRECEDING/FOLLOWING is not supported for column type integer and offset type numeric"},
		{"int4", literal("1"), "integer bigint"},
		{"float4", colOf(t, "int4"), "double precision double precision"},
		{"numeric", colOf(t, "int4"), "numeric numeric"},
		{"date", literal("1 day"), "interval timestamp without time zone"},
		{"timestamptz", colOf(t, "interval"), "interval timestamp with time zone"},
		{"time", literal("1 hour"), "interval time without time zone"},
		{"varchar", colOf(t, "int4"), "RANGE with offset PRECEDING/FOLLOWING is not supported for column type text"},
		{"bool", colOf(t, "int4"), "RANGE with offset PRECEDING/FOLLOWING is not supported for column type boolean"},
	} {
		offset, shift, err := expr.ResolveInRange(colOf(t, c.key), c.offset, true, false, 1)
		got := ""
		if err != nil {
			got = sqlerr.As(err).Message
		} else {
			got = offset.Type().String() + " " + shift.Type().String()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.key, got, c.want)
		}
	}
}
