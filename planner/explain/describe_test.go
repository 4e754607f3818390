package explain

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// testNodes has one of each node type.
func testNodes() []plan.Node {
	tab := &catalog.Table{Name: "t", Schema: "public", ID: 1, PrimaryKey: []int{0},
		Columns: []catalog.Column{
			{ID: 1, Name: "k", Type: types.Of(types.Int4), KeyPos: 0, NotNull: true},
			{ID: 2, Name: "v", Type: types.Of(types.Text), KeyPos: -1},
		}}
	tab.Options.SaltBuckets = 4
	scan := &plan.Scan{Table: tab, Cols: []int{0, 1}, Order: plan.Forward}
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
		&plan.HashJoin{Left: scan, Right: scan, Match: on},
		&plan.MergeJoin{Kind: plan.Full, Left: scan, Right: scan, Match: on, Desc: []bool{false}},
		&plan.NestedLoop{Kind: plan.Left, Left: scan, Right: scan, Match: plan.Match{Filter: &expr.IsNull{X: k}}},
		&plan.Apply{Kind: plan.Mark, MarkName: "exists", Left: scan, Right: scan, Params: []plan.ApplyParam{{N: 1, Value: k}}},
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

// nodeTypes lists the types of this package that have an Inputs method.
func nodeTypes(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	entries, err := os.ReadDir("../plan")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), "../plan/"+e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || fn.Name.Name != "Inputs" {
				continue
			}
			if star, ok := fn.Recv.List[0].Type.(*ast.StarExpr); ok {
				names[star.X.(*ast.Ident).Name] = true
			}
		}
	}
	return names
}

func TestEveryNodeIsDescribed(t *testing.T) {
	want := nodeTypes(t)
	for _, n := range testNodes() {
		name := strings.TrimPrefix(fmt.Sprintf("%T", n), "*plan.")
		if !want[name] {
			t.Errorf("%s is not a node type", name)
		}
		delete(want, name)
		d := Describe(n)
		if d.Name == "" || strings.HasPrefix(d.Name, "*") {
			t.Errorf("%s has no name", name)
		}
		for _, a := range d.Attrs {
			if a.Value == "" {
				t.Errorf("%s: attribute %q is empty", name, a.Key)
			}
		}
		for _, in := range n.Inputs() {
			if in == nil {
				t.Errorf("%s has a nil input", name)
			}
		}
		n.Columns()
	}
	for name := range want {
		t.Errorf("testNodes has no %s", name)
	}
}

func TestExplainActuals(t *testing.T) {
	nodes := testNodes()
	merge := nodes[1].(*plan.SaltMerge)
	limit := &plan.Limit{Input: merge, Count: &expr.Const{Value: types.NewInt(1), T: types.Of(types.Int8)}}
	a := &plan.Actuals{Planning: time.Millisecond, Execution: 2 * time.Millisecond, Nodes: map[plan.Node]*plan.Actual{
		limit: {Rows: 1, Time: time.Millisecond},
		merge: {Rows: 3, StorageCalls: 4, RowsRead: 8, BytesRead: 100, Buckets: 4, PerBucket: []plan.BucketActual{{Bucket: 2, Rows: 3, StorageCalls: 1, RowsRead: 3, BytesRead: 40}, {Bucket: 3, Rows: 1, SharedCalls: 2, RowsRead: 1, BytesRead: 9}}},
	}}
	o := Options{Analyze: true, Verbose: true, Timing: true, Summary: true, HideVolatile: true}
	got := strings.Join(Lines(&plan.Plan{Root: limit, Columns: limit.Columns()}, o, a), "\n")
	want := `Limit  (rows 1)  (actual: rows 1; first row ms <hidden>; time ms <hidden>)
  ->  Salt Merge  (buckets 4 of 4: k is not bound; key order k)  (actual: rows 3; storage calls 4; rows read 8; bytes <hidden>; read amplification 2.7; buckets 4; first row ms <hidden>; time ms <hidden>)
        Bucket 2: rows 3; storage calls 1; rows read 3; bytes <hidden>; first row ms <hidden>; time ms <hidden>
        Bucket 3: rows 1; shared storage calls 2; rows read 1; bytes <hidden>; first row ms <hidden>; time ms <hidden>
        ->  Full Scan on t  (columns k, v)  (actual: never executed)
Output: k, v
Planning Time: <hidden> ms
Execution Time: <hidden> ms`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	o.JSON = true
	got = Lines(&plan.Plan{Root: limit}, o, a)[0]
	for _, part := range []string{`"Node Type": "Limit"`, `"Plans": [`, `"Actual Rows": 3`, `"Per Bucket": [`, `"Shared Storage Calls": 2`, `"Planning Time": "<hidden>"`} {
		if !strings.Contains(got, part) {
			t.Errorf("JSON lacks %s:\n%s", part, got)
		}
	}
}
