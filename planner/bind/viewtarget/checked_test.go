package viewtarget

import (
	"fmt"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// TestChecked goes through all views over views over views, with and without a condition and a
// CHECK OPTION each. A view's condition is tested if it has one of the options itself, or a view
// over it is CASCADED; the rows are those of all conditions. The innermost come first.
func TestChecked(t *testing.T) {
	options := []string{"", "local", "cascaded"}
	for n := range 6 * 6 * 6 {
		var target Target
		var text string
		var want, wantConds []string
		cascaded := false
		for i, code := range []int{n % 6, n / 6 % 6, n / 36} {
			name, check := fmt.Sprintf("v%d", i), options[code%3]
			l := viewLevel{view: &catalog.View{Name: name, Check: check}}
			text += " " + name + " " + check
			cascaded = cascaded || check == "cascaded"
			if code >= 3 {
				text += " where"
				l.cond = &expr.Col{Name: name, T: types.Of(types.Bool)}
				wantConds = append(wantConds, name)
				if check != "" || cascaded {
					want = append(want, name)
				}
			}
			target.levels = append(target.levels, l)
		}
		slices.Reverse(want)
		slices.Reverse(wantConds)
		var got []string
		target.Checked(func(view string, cond expr.Expr) {
			if cond.(*expr.Col).Name != view {
				t.Errorf("the condition of %s is tested for %s", cond.(*expr.Col).Name, view)
			}
			got = append(got, view)
		})
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v are tested, want %v", text, got, want)
		}
		var conds []string
		for _, c := range target.Conds() {
			conds = append(conds, c.(*expr.Col).Name)
		}
		if !slices.Equal(conds, wantConds) {
			t.Errorf("%s: the conditions are %v, want %v", text, conds, wantConds)
		}
	}
}
