package literal

import (
	"strings"
	"testing"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// TestExact reads constants through the TiDB grammar: no length is too long,
// and no digit is lost.
func TestExact(t *testing.T) {
	long := strings.Repeat("123456789", 20)
	for text, want := range map[string]Value{
		"1": {tree.Int, "1"}, "007": {tree.Int, "7"}, "9223372036854775807": {tree.Int, "9223372036854775807"},
		"18446744073709551615": {tree.Int, "18446744073709551615"}, "18446744073709551616": {tree.Int, "18446744073709551616"},
		long: {tree.Int, long}, "1.50": {tree.Decimal, "1.50"}, ".5": {tree.Decimal, ".5"}, "1." + long: {tree.Decimal, "1." + long},
		"'it''s'": {tree.String, "it's"}, "TRUE": {tree.Bool, "t"}, "FALSE": {tree.Bool, "f"}, "NULL": {Kind: tree.Null},
	} {
		stmts, _, err := parser.New().ParseSQL("SELECT " + text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		e := stmts[0].(*ast.SelectStmt).Fields.Fields[0].Expr
		v, ok := e.(*ValueExpr)
		if !ok || v.Val != want {
			t.Errorf("%s: %T %+v, want %+v", text, e, v, want)
		}
	}
}

func TestParam(t *testing.T) {
	stmts, _, err := parser.New().ParseSQL("SELECT 1, ?")
	if err != nil {
		t.Fatal(err)
	}
	p, ok := stmts[0].(*ast.SelectStmt).Fields.Fields[1].Expr.(*Param)
	if !ok || p.Out != 10 || p.OriginTextPosition() != 10 {
		t.Errorf("%+v", p)
	}
}
