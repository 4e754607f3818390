package expr_test

import (
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

func TestParamTypes(t *testing.T) {
	p := expr.NewParamTypes([]types.T{tInt4}, 1)
	p.Ref(1, 1)
	p.Ref(2, 1)
	if _, err := p.Finish(); sqlerr.CodeOf(err) != sqlerr.IndeterminateDatatype {
		t.Errorf("undecided parameter: %v", err)
	}
	a := p.Ref(3, 1)
	if _, err := expr.ResolveCast(a, tInt4, expr.Implicit, 1); err != nil {
		t.Error(err)
	}
	if _, err := expr.ResolveCast(a, tText, expr.Implicit, 1); err == nil {
		t.Error("a parameter has two types")
	}
}
