package plantest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// Nodes gives one of each node type, and fails t where one is missing: a new type has its
// line here.
func Nodes(t testing.TB) []plan.Node {
	t.Helper()
	nodes := samples()
	missing := nodeTypes(t)
	for _, n := range nodes {
		name := strings.TrimPrefix(fmt.Sprintf("%T", n), "*plan.")
		if !missing[name] {
			t.Errorf("%s is not a node type, or is there twice", name)
		}
		delete(missing, name)
	}
	for name := range missing {
		t.Errorf("planner/plan/plantest has no %s", name)
	}
	return nodes
}

func samples() []plan.Node {
	tab := &catalog.Table{Name: "t", Schema: "public", ID: 1, PrimaryKey: []int{0},
		Columns: []catalog.Column{
			{ID: 1, Name: "k", Type: types.Of(types.Int4), KeyPos: 0, NotNull: true},
			{ID: 2, Name: "v", Type: types.Of(types.Text), KeyPos: -1},
		}}
	tab.Options.SaltBuckets = 4
	scan := &plan.Scan{Source: plan.Source{Table: tab, Cols: []int{0, 1}}, Path: plan.Path{Order: plan.Forward}}
	k := &expr.Col{Index: 0, T: types.Of(types.Int4), Name: "k"}
	one := &expr.Const{Value: types.NewInt(1), T: types.Of(types.Int8)}
	key := plan.SortKey{Expr: k}
	on := plan.Match{Keys: []plan.JoinKey{{Left: k, Right: k, NullsEqual: true}}}
	return []plan.Node{
		scan,
		&plan.SaltMerge{Input: scan},
		&plan.SaltGather{Input: scan},
		&plan.Filter{Input: scan, Cond: &expr.IsNull{X: k}},
		&plan.Project{Input: scan, Exprs: []expr.Expr{k}, Cols: scan.Columns()[:1]},
		&plan.Limit{Input: scan, Count: one},
		&plan.RowByRow{Input: scan},
		&plan.Sort{Input: scan, Keys: []plan.SortKey{key}},
		&plan.TopN{Input: scan, Keys: []plan.SortKey{key}, Count: one},
		&plan.DistinctOn{Input: scan, Exprs: []expr.Expr{k}},
		&plan.Aggregate{Input: scan, Groups: []expr.Expr{k}, Cols: scan.Columns()[:1]},
		&plan.Values{Rows: [][]expr.Expr{{one}}, Cols: scan.Columns()[:1]},
		&plan.OneRow{},
		&plan.TableFunc{Name: "unnest", Args: []expr.Expr{one}, Cols: scan.Columns()[:1]},
		&plan.Append{Parts: []plan.Node{scan, scan}, Cols: scan.Columns()},
		&plan.External{Name: "COPY", Cols: scan.Columns()},
		&plan.Insert{Table: tab, Input: scan},
		&plan.Upsert{Table: tab, Input: scan, Named: []int{0}},
		&plan.Update{Table: tab, Input: scan, Set: []plan.SetColumn{{Column: 1, Value: one}}},
		&plan.Delete{Table: tab, Input: scan},
		&plan.Lock{Tables: []plan.LockTable{{Table: tab, SkipLocked: true}}, Input: scan},
		&plan.HashJoin{Join: plan.Join{Left: scan, Right: scan, Match: on}},
		&plan.MergeJoin{Join: plan.Join{Kind: plan.Full, Left: scan, Right: scan, Match: on}, Desc: []bool{false}},
		&plan.NestedLoop{Join: plan.Join{Kind: plan.Left, Left: scan, Right: scan, Match: plan.Match{Filter: &expr.IsNull{X: k}}}},
		&plan.Apply{Join: plan.Join{Kind: plan.Mark, MarkName: "exists", Left: scan, Right: scan}, Params: []plan.ApplyParam{{N: 1, Value: k}}},
		&plan.LookupJoin{Kind: plan.Semi, Left: scan, Right: scan, Values: []expr.Expr{k}},
		&plan.SetOp{Except: true, Left: scan, Right: scan, Cols: scan.Columns()},
		&plan.Window{Input: scan, Partition: []expr.Expr{k}, Cols: scan.Columns()},
		&plan.With{ID: 1, Name: "w", Query: scan, Body: scan},
		&plan.WithScan{ID: 1, Name: "w", Cols: scan.Columns()},
		&plan.RecursiveUnion{ID: 1, Name: "w", Start: scan, Step: scan, Cols: scan.Columns()},
		&plan.ProjectSet{Input: scan, Sets: []plan.SetCall{{Name: "unnest", Args: []expr.Expr{one}}}, Cols: scan.Columns()},
		&plan.VirtualScan{Relation: &catalog.Virtual{Schema: "saltsql", Name: "settings", Columns: []catalog.VirtualColumn{{Name: "name", Type: types.Of(types.Text)}}},
			Cols: []int{0}, Equal: []plan.VirtualEqual{{Value: one}}},
	}
}

// nodeTypes lists the types of planner/plan that have an Inputs method, or that of a join.
func nodeTypes(t testing.TB) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	files, _ := filepath.Glob("../plan/*.go") // of a test in a room of the planner
	if files == nil {
		files, _ = filepath.Glob("../planner/plan/*.go")
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv != nil && n.Name.Name == "Inputs" {
					names[n.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name] = true
				}
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok && len(s.Fields.List) > 0 {
					of, ok := s.Fields.List[0].Type.(*ast.Ident)
					if ok && of.Name == "Join" && len(s.Fields.List[0].Names) == 0 {
						names[n.Name.Name] = true
					}
				}
			}
			return true
		})
	}
	delete(names, "Join")
	return names
}
