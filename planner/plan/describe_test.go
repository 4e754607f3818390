package plan

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
)

// testNodes has one of each node type.
func testNodes() []Node {
	tab := &catalog.Table{Name: "t", Schema: "public", ID: 1, PrimaryKey: []int{0},
		Columns: []catalog.Column{
			{ID: 1, Name: "k", Type: types.Of(types.Int4), KeyPos: 0, NotNull: true},
			{ID: 2, Name: "v", Type: types.Of(types.Text), KeyPos: -1},
		}}
	tab.Options.SaltBuckets = 4
	scan := &Scan{Table: tab, Cols: []int{0, 1}, Order: Forward}
	k := &expr.Col{Index: 0, T: types.Of(types.Int4), Name: "k"}
	one := &expr.Const{Value: types.NewInt(1), T: types.Of(types.Int8)}
	key := SortKey{Expr: k}
	on := Match{Keys: []JoinKey{{Left: k, Right: k, NullsEqual: true}}}
	return []Node{
		scan,
		&SaltMerge{Input: scan},
		&SaltGather{Input: scan},
		&Filter{Input: scan, Cond: &expr.IsNull{X: k}},
		&Project{Input: scan, Exprs: []expr.Expr{k}, Cols: scan.Columns()[:1]},
		&Limit{Input: scan, Count: one},
		&Sort{Input: scan, Keys: []SortKey{key}},
		&TopN{Input: scan, Keys: []SortKey{key}, Count: one},
		&DistinctOn{Input: scan, Exprs: []expr.Expr{k}},
		&Aggregate{Input: scan, Groups: []expr.Expr{k}, Cols: scan.Columns()[:1]},
		&Values{Rows: [][]expr.Expr{{one}}, Cols: scan.Columns()[:1]},
		&OneRow{},
		&TableFunc{Name: "unnest", Args: []expr.Expr{one}, Cols: scan.Columns()[:1]},
		&Append{Parts: []Node{scan, scan}, Cols: scan.Columns()},
		&External{Name: "COPY", Cols: scan.Columns()},
		&Insert{Table: tab, Input: scan},
		&Upsert{Table: tab, Input: scan, Named: []int{0}},
		&Update{Table: tab, Input: scan, Set: []SetColumn{{Column: 1, Value: one}}},
		&Delete{Table: tab, Input: scan},
		&Lock{Table: tab, Input: scan, SkipLocked: true},
		&HashJoin{Left: scan, Right: scan, Match: on},
		&MergeJoin{Kind: Full, Left: scan, Right: scan, Match: on, Desc: []bool{false}},
		&NestedLoop{Kind: Left, Left: scan, Right: scan, Match: Match{Filter: &expr.IsNull{X: k}}},
		&Apply{Kind: Mark, MarkName: "exists", Left: scan, Right: scan, Params: []ApplyParam{{N: 1, Value: k}}},
		&LookupJoin{Kind: Semi, Left: scan, Right: scan, Values: []expr.Expr{k}},
		&SetOp{Except: true, Left: scan, Right: scan, Cols: scan.Columns()},
		&Window{Input: scan, Partition: []expr.Expr{k}, Cols: scan.Columns()},
		&With{ID: 1, Name: "w", Query: scan, Body: scan},
		&WithScan{ID: 1, Name: "w", Cols: scan.Columns()},
		&RecursiveUnion{ID: 1, Name: "w", Start: scan, Step: scan, Cols: scan.Columns()},
		&ProjectSet{Input: scan, Sets: []SetCall{{Name: "unnest", Args: []expr.Expr{one}}}, Cols: scan.Columns()},
		&VirtualScan{Relation: &catalog.Virtual{Schema: "saltsql", Name: "settings", Columns: []catalog.VirtualColumn{{Name: "name", Type: types.Of(types.Text)}}},
			Cols: []int{0}, Equal: []VirtualEqual{{Value: one}}},
	}
}

// nodeTypes lists the types of this package that have an Inputs method.
func nodeTypes(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
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
	merge := nodes[1].(*SaltMerge)
	limit := &Limit{Input: merge, Count: &expr.Const{Value: types.NewInt(1), T: types.Of(types.Int8)}}
	a := &Actuals{Planning: time.Millisecond, Execution: 2 * time.Millisecond, Nodes: map[Node]*Actual{
		limit: {Rows: 1, Time: time.Millisecond},
		merge: {Rows: 3, StorageCalls: 4, RowsRead: 8, BytesRead: 100, Buckets: 4, PerBucket: []BucketActual{{Bucket: 2, Rows: 3, StorageCalls: 1, RowsRead: 3, BytesRead: 40}, {Bucket: 3, Rows: 1, SharedCalls: 2, RowsRead: 1, BytesRead: 9}}},
	}}
	o := ExplainOptions{Analyze: true, Verbose: true, Timing: true, Summary: true, HideVolatile: true}
	got := strings.Join(Explain(&Plan{Root: limit, Columns: limit.Columns()}, o, a), "\n")
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
	got = Explain(&Plan{Root: limit}, o, a)[0]
	for _, part := range []string{`"Node Type": "Limit"`, `"Plans": [`, `"Actual Rows": 3`, `"Per Bucket": [`, `"Shared Storage Calls": 2`, `"Planning Time": "<hidden>"`} {
		if !strings.Contains(got, part) {
			t.Errorf("JSON lacks %s:\n%s", part, got)
		}
	}
}
