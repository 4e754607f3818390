package expr

import (
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
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
		_, err := bindText(c.text, nil)
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
	i, s := &Col{T: tInt8, Name: "i"}, &Col{T: tText, Name: "s"}
	for _, c := range []struct {
		name string
		bind func(p *ParamTypes) (Expr, error)
		want string
	}{
		{"i = $1", func(p *ParamTypes) (Expr, error) { return ResolveOp("=", i, p.Ref(1, 1), 1) }, "bigint"},
		{"s like $1", func(p *ParamTypes) (Expr, error) { return ResolveOp("~~", s, p.Ref(1, 1), 1) }, "text"},
		{"$1 + $2", func(p *ParamTypes) (Expr, error) { return ResolveOp("+", p.Ref(1, 1), p.Ref(2, 6), 1) }, "operator is not unique: unknown + unknown"},
		{"i in ($1, $2)", func(p *ParamTypes) (Expr, error) { return MakeIn(i, []Expr{p.Ref(1, 1), p.Ref(2, 1)}, false, 1) }, "bigint bigint"},
		{"i = any($1)", func(p *ParamTypes) (Expr, error) { return MakeAnyAll("=", i, p.Ref(1, 1), false, 1) }, "bigint[]"},
		{"$1::date", func(p *ParamTypes) (Expr, error) { return ResolveCast(p.Ref(1, 1), tDate, Explicit, 1) }, "date"},
		{"$1", func(p *ParamTypes) (Expr, error) { return ResolveUnknown(p.Ref(1, 1)) }, "text"},
		{"coalesce($1, i)", func(p *ParamTypes) (Expr, error) { return MakeCoalesce([]Expr{p.Ref(1, 1), i}, 1) }, "bigint"},
		{"i = $1 and s = $1", func(p *ParamTypes) (Expr, error) {
			if _, err := ResolveOp("=", i, p.Ref(1, 1), 1); err != nil {
				return nil, err
			}
			return ResolveOp("=", s, p.Ref(1, 1), 1)
		}, "operator does not exist: text = bigint"},
	} {
		p := NewParamTypes(nil)
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

// TestLazy holds that what is not reached is not evaluated.
func TestLazy(t *testing.T) {
	b := batch(10)
	named := map[string]Expr{"i": cols[0], "f": cols[1], "s": cols[2]}
	for _, c := range []struct {
		text string
		rows int
	}{
		{"i <> 0 and 10 / i > 2", 3},
		{"i = 0 or 10 / i > 2", 4},
		{"case when i = 0 then false else 10 / i > 2 end", 3},
		{"coalesce(i < 5, 1 / (i - i) = 1)", 5},
		{"not (i = 0 or 10 / i > 2)", 6},
		{"i in (1, 2) and s in ('bb', 'ccc')", 2},
		{"(i, s) < (2, 'bc')", 2},
		{"i = any(array[1, 3, null])", 2},
		{"i not in (1, null)", 0},
		{"nullif(i, 3) is null", 1},
	} {
		e, err := bindText(c.text, named)
		if err != nil {
			t.Fatal(c.text, err)
		}
		for _, x := range []Expr{e, Fold(nil, e)} {
			p, err := Compile(x)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				sel, err := p.Filter(nil, b, nil)
				if err != nil || len(sel) != c.rows {
					t.Errorf("%s: %d rows, %v", c.text, len(sel), err)
				}
				// The buffer may be the selection's own memory.
				own := append([]uint16(nil), identity[:b.N]...)
				in := &vec.Batch{Cols: b.Cols, N: b.N, Sel: own}
				if again, err := p.Filter(nil, in, own); err != nil || !slices.Equal(again, sel) {
					t.Errorf("%s: in place %v, want %v, %v", c.text, again, sel, err)
				}
				v, err := p.Eval(nil, b)
				if err != nil {
					t.Fatal(err)
				}
				if got := trueSlots(v, identity[:b.N], nil); len(got) != c.rows {
					t.Errorf("%s: Eval is true for %d rows", c.text, len(got))
				}
			}
		}
	}
}

// TestFilterAllocates holds that filters by comparison allocate nothing.
func TestFilterAllocates(t *testing.T) {
	in := batch(vec.MaxRows)
	named := map[string]Expr{"i": cols[0], "f": cols[1], "s": cols[2], "t": cols[3]}
	env := &Env{Params: []types.Datum{types.NewInt(7)}}
	for _, text := range []string{"i < 512", "f > 50", "s = 'bb'", "i < 512 and f > 3 or s = 'a'", "s like 'b%'",
		"t > '1970-01-01 00:00:10+00'", "i + 1 > 5", "i in (1, 2, 3)", "i in (1, 2, 3, 4, 5, 6)", "s is not null", "not (i = 3)"} {
		e, err := bindText(text, named)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(Fold(nil, e))
		if err != nil {
			t.Fatal(err)
		}
		sel := make([]uint16, vec.MaxRows)
		if n := testing.AllocsPerRun(20, func() {
			if _, err := p.Filter(env, in, sel); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%s allocates %v times", text, n)
		}
	}
}

// TestFunctionsNotSupported holds that what Postgres has and saltsql has not is
// refused with what to do instead.
func TestFunctionsNotSupported(t *testing.T) {
	for text, hint := range map[string]string{
		"jsonb_path_query('{}', '$')": "jsonb_each",
		"row_to_json(1)":              "json_build_object",
		"jsonb_to_recordset('[]')":    "->>",
		"to_tsvector('a')":            "LIKE",
		"xmlforest(1)":                "text",
		"txid_current_if_assigned()":  "",
		"txid_current()":              "numbers",
		"lo_get(1)":                   "bytea",
	} {
		_, err := bindText(text, nil)
		e := sqlerr.As(err)
		switch {
		case e == nil:
			t.Errorf("%s: no error", text)
		case hint == "" && e.Code != sqlerr.UndefinedFunction, hint != "" && (e.Code != sqlerr.FeatureNotSupported || !strings.Contains(e.Hint, hint)):
			t.Errorf("%s: %s %s", text, e.Code, e.Hint)
		}
	}
}
