package expr_test

import (
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
	_ "github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/expr/exprtest"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestErrors holds code, message and position of faults that bind time finds.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		text, code, message string
		pos                 int
	}{
		{"1 + true", "42883", "operator does not exist: integer + boolean", 3},
		{"foo(1, 'a')", "42883", "function foo(integer, unknown) does not exist", 1},
		{"'1' + '2'", "42725", "operator is not unique: unknown + unknown", 5},
		{"1 + 'x'", "22P02", `invalid input syntax for type integer: "x"`, 5},
		{"case when true then 1 else true end", "42804", "CASE types boolean and integer cannot be matched", 21},
		{"true::date", "42846", "cannot cast type boolean to date", 5},
		{"1 and true", "42804", "argument of AND must be type boolean, not type integer", 1},
		{"array[]", "42P18", "cannot determine type of empty array", 1},
		{"1 = any(1)", "42809", "op ANY/ALL (array) requires array on right side", 3},
		{"(1, 2) = (1, 2, 3)", "42601", "unequal number of entries in row expressions", 8},
	} {
		_, err := exprtest.Parse(c.text, nil)
		e := sqlerr.As(err)
		if e == nil {
			t.Errorf("%s: no error", c.text)
			continue
		}
		if e.Code.String() != c.code || e.Message != c.message || e.Position != c.pos {
			t.Errorf("%s: %s %q at %d", c.text, e.Code, e.Message, e.Position)
		}
	}
}

// TestParams holds which types contexts give to parameters.
func TestParams(t *testing.T) {
	i, s := &expr.Col{T: tInt8, Name: "i"}, &expr.Col{T: tText, Name: "s"}
	for _, c := range []struct {
		name string
		bind func(p *expr.ParamTypes) (expr.Expr, error)
		want string
	}{
		{"i = $1", func(p *expr.ParamTypes) (expr.Expr, error) { return expr.ResolveOp("=", i, p.Ref(1, 1), 1) }, "bigint"},
		{"s like $1", func(p *expr.ParamTypes) (expr.Expr, error) { return expr.ResolveOp("~~", s, p.Ref(1, 1), 1) }, "text"},
		{"$1 + $2", func(p *expr.ParamTypes) (expr.Expr, error) { return expr.ResolveOp("+", p.Ref(1, 1), p.Ref(2, 6), 1) }, "operator is not unique: unknown + unknown"},
		{"i in ($1, $2)", func(p *expr.ParamTypes) (expr.Expr, error) {
			return expr.MakeIn(i, []expr.Expr{p.Ref(1, 1), p.Ref(2, 1)}, false, 1)
		}, "bigint bigint"},
		{"i = any($1)", func(p *expr.ParamTypes) (expr.Expr, error) { return expr.MakeAnyAll("=", i, p.Ref(1, 1), false, 1) }, "bigint[]"},
		{"$1::date", func(p *expr.ParamTypes) (expr.Expr, error) {
			return expr.ResolveCast(p.Ref(1, 1), tDate, expr.Explicit, 1)
		}, "date"},
		{"$1", func(p *expr.ParamTypes) (expr.Expr, error) { return expr.ResolveUnknown(p.Ref(1, 1)) }, "text"},
		{"coalesce($1, i)", func(p *expr.ParamTypes) (expr.Expr, error) { return expr.MakeCoalesce([]expr.Expr{p.Ref(1, 1), i}, 1) }, "bigint"},
		{"i = $1 and s = $1", func(p *expr.ParamTypes) (expr.Expr, error) {
			if _, err := expr.ResolveOp("=", i, p.Ref(1, 1), 1); err != nil {
				return nil, err
			}
			return expr.ResolveOp("=", s, p.Ref(1, 1), 1)
		}, "operator does not exist: text = bigint"},
	} {
		p := expr.NewParamTypes(nil, 0)
		_, err := c.bind(p)
		var got []string
		if err != nil {
			got = []string{err.Error()}
		} else {
			ts, err := p.Finish()
			if err != nil {
				t.Fatal(err)
			}
			for _, ty := range ts {
				got = append(got, ty.String())
			}
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s: %s, want %s", c.name, g, c.want)
		}
	}
}

// TestFunctionsNotSupported holds that what Postgres has and saltsql has not is
// refused with what to do instead.
func TestFunctionsNotSupported(t *testing.T) {
	for text, hint := range map[string]string{
		"to_tsvector('a')":           "LIKE",
		"xmlforest(1)":               "text",
		"txid_current_if_assigned()": "numbers",
		"xpath(1)":                   "XML",
		"txid_current()":             "numbers",
		"lo_get(1)":                  "bytea",
	} {
		_, err := exprtest.Parse(text, nil)
		e := sqlerr.As(err)
		switch {
		case e == nil:
			t.Errorf("%s: no error", text)
		case hint == "" && e.Code != sqlerr.UndefinedFunction, hint != "" && (e.Code != sqlerr.FeatureNotSupported || !strings.Contains(e.Hint, hint)):
			t.Errorf("%s: %s %s", text, e.Code, e.Hint)
		}
	}
}
