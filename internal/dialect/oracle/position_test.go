package oracle

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	pgquery "github.com/wasilibs/go-pgquery"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/literal"
	"github.com/saltsql/saltsql/internal/dialect/marker"
)

// located are the positions of one statement's nodes, by kind of PostgreSQL's
// node. Positions are byte offsets.
type located map[string]map[int]bool

func (l located) add(kind string, at int) {
	if l[kind] == nil {
		l[kind] = map[int]bool{}
	}
	l[kind][at] = true
}

// pgLocations collects the nodes that errors point at.
func pgLocations(l located, v any) {
	switch x := v.(type) {
	case []any:
		for _, e := range x {
			pgLocations(l, e)
		}
	case map[string]any:
		for k, e := range x {
			m, ok := e.(map[string]any)
			if ok {
				at := 0
				if f, ok := m["location"].(float64); ok {
					at = int(f)
				}
				if at < 0 {
					k = "" // made by the grammar
				}
				switch k {
				case "ColumnRef":
					if !hasStar(m) {
						l.add(k, at)
					}
				case "ParamRef", "TypeCast":
					l.add(k, at)
				case "FuncCall":
					if m["funcformat"] == "COERCE_EXPLICIT_CALL" && !strings.Contains(fmt.Sprint(m["funcname"]), "_escape") {
						l.add(k, at)
					}
				case "A_Expr":
					if m["kind"] == "AEXPR_OP" {
						l.add(k, at)
					}
				}
			}
			pgLocations(l, e)
		}
	}
}

func hasStar(m map[string]any) bool {
	fields, _ := m["fields"].([]any)
	for _, f := range fields {
		if _, ok := f.(map[string]any)["A_Star"]; ok {
			return true
		}
	}
	return false
}

// ours collects the same from our AST.
type ours struct {
	st *dialect.Statement
	l  located
}

func (o *ours) Enter(n ast.Node) (ast.Node, bool) {
	at := o.st.Pos(n) - 1
	switch x := n.(type) {
	case *ast.ColumnNameExpr:
		o.l.add("ColumnRef", at)
	case *literal.Param:
		o.l.add("ParamRef", at)
	case *literal.ValueExpr:
		if x.Val.Kind == literal.Bool { // a cast in PostgreSQL's tree
			o.l.add("TypeCast", at)
		}
	case *ast.BinaryOperationExpr:
		o.l.add("A_Expr", at)
	case *ast.UnaryOperationExpr:
		if x.Op == opcode.Minus || x.Op == opcode.Plus {
			o.l.add("A_Expr", at)
		}
	case *ast.FuncCallExpr:
		if c, ok := marker.Decode(x); ok {
			switch c.Kind {
			case marker.Func:
				o.l.add("FuncCall", at)
			case marker.Op:
				o.l.add("A_Expr", at)
			case marker.Cast:
				o.l.add("TypeCast", at)
			}
		}
	}
	return n, false
}

func (o *ours) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// comparePositions gives the first place PostgreSQL knows and we do not.
func comparePositions(t *testing.T, sql string) {
	for i := 0; i < len(sql); i++ {
		if sql[i] >= 0x80 {
			return // PostgreSQL's tree counts bytes
		}
	}
	text, err := pgquery.ParseToJSON(sql)
	if err != nil {
		return
	}
	stmts, err := dialect.Parse(sql)
	if err != nil || len(stmts) != 1 || stmts[0].AST == nil {
		return
	}
	var tree any
	if err := json.Unmarshal([]byte(text), &tree); err != nil {
		t.Fatal(err)
	}
	want := located{}
	pgLocations(want, tree)
	o := &ours{st: stmts[0], l: located{}}
	stmts[0].AST.Accept(o)
	for kind, places := range want {
		for at := range places {
			if !o.l[kind][at] {
				t.Errorf("%s at %d is not ours\n  %s\n  %s", kind, at, sql, stmts[0].Translated())
				return
			}
		}
	}
}

// TestPositions checks that what PostgreSQL points at, we can point at.
func TestPositions(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.sql")
	more, _ := filepath.Glob("../testdata/corpus/pg_*.sql")
	for _, f := range append(files, more...) {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, sql := range statements(t, string(text)) {
			comparePositions(t, sql)
		}
	}
	s := *seed
	if s == 0 {
		s = rand.Uint64()
	}
	t.Logf("seed %d", s)
	g := &generator{Rand: rand.New(rand.NewPCG(s, 1))}
	for i := 0; i < *rounds && !t.Failed(); i++ {
		comparePositions(t, g.statement())
	}
}
