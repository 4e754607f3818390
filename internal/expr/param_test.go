package expr

import (
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

func TestParamTypes(t *testing.T) {
	p := NewParamTypes([]types.T{tInt4}, 1)
	p.Ref(1, 1)
	p.Ref(2, 1)
	if _, err := p.Finish(); sqlerr.CodeOf(err) != sqlerr.IndeterminateDatatype {
		t.Errorf("undecided parameter: %v", err)
	}
	if a := p.Ref(3, 1); p.set(3, tInt4, 1) != nil || p.set(a.N, tText, 1) == nil {
		t.Error("a parameter has two types")
	}
}
