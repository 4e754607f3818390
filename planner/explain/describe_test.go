package explain

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/plan/plantest"
)

func TestEveryNodeIsDescribed(t *testing.T) {
	for _, n := range plantest.Nodes(t) {
		name := strings.TrimPrefix(fmt.Sprintf("%T", n), "*plan.")
		d := Describe(n)
		if d.Name == "" || strings.HasPrefix(d.Name, "*") {
			t.Errorf("%s has no name", name)
		}
		seen := map[string]bool{}
		for _, a := range d.Attrs {
			if a.Key == "" || a.Value == "" || seen[a.Key] {
				t.Errorf("%s: attribute %q is empty, or there twice", name, a.Key)
			}
			seen[a.Key] = true
		}
		for _, in := range n.Inputs() {
			if in == nil {
				t.Errorf("%s has a nil input", name)
			}
		}
		n.Columns()
	}
}

func TestExplainActuals(t *testing.T) {
	nodes := plantest.Nodes(t)
	merge := nodes[1].(*plan.SaltMerge)
	limit := &plan.Limit{Input: merge, Count: &expr.Const{Value: types.NewInt(1), T: types.Of(types.Int8)}}
	a := &plan.Actuals{Planning: time.Millisecond, Execution: 2 * time.Millisecond, Nodes: map[plan.Node]*plan.Actual{
		limit: {Rows: 1, Time: time.Millisecond},
		merge: {Rows: 3, StorageCalls: 4, RowsRead: 8, BytesRead: 100, Buckets: 4, PerBucket: []plan.BucketActual{{Bucket: 2, Rows: 3, StorageCalls: 1, RowsRead: 3, BytesRead: 40}, {Bucket: 3, Rows: 1, SharedCalls: 2, RowsRead: 1, BytesRead: 9}}},
	}}
	o := Options{Analyze: true, Verbose: true, Timing: true, Summary: true, HideVolatile: true}
	o.Estimates = &Estimates{Costs: map[plan.Node]Cost{merge.Inputs()[0]: {1, 7.5}}}
	got := strings.Join(Lines(&plan.Plan{Root: limit, Columns: limit.Columns()}, o, a), "\n")
	want := `Limit
  Output: k, v
  Rows: 1
  Actual: rows 1, ms <hidden>..<hidden>
  ->  Salt Merge
        Output: k, v
        Buckets: 4 of 4 (k is not bound)
        Order: k
        Actual: rows 3, calls 4, rows read 8, bytes <hidden>, read amplification 2.7, buckets 4,
          ms <hidden>..<hidden>
        Each of 2 Buckets: rows 1 to 3 (bucket 2), calls 0 to 1 (bucket 2),
          rows read 1 to 3 (bucket 2), bytes <hidden>, first row ms <hidden>, time ms <hidden>,
          shared calls 0 to 2 (bucket 3)
        ->  Full Scan on t  (cost=1.00..7.50)
              Output: k, v
              Columns: k, v
              Actual: never executed
Planning Time: <hidden> ms
Execution Time: <hidden> ms`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	for _, line := range strings.Split(got, "\n") {
		if len(line) > width {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	o.JSON = true
	got = Lines(&plan.Plan{Root: limit}, o, a)[0]
	for _, part := range []string{`"Node Type": "Limit"`, `"Plans": [`, `"Actual Rows": 3`, `"Per Bucket": [`, `"Shared Storage Calls": 2`, `"Startup Cost": 1.00`, `"Total Cost": 7.50`, `"Output": [`, `"Planning Time": "<hidden>"`} {
		if !strings.Contains(got, part) {
			t.Errorf("JSON lacks %s:\n%s", part, got)
		}
	}
	o.JSON, o.YAML = false, true
	got = Lines(&plan.Plan{Root: limit}, o, a)[0]
	for _, part := range []string{"- Plan:\n    Node Type: \"Limit\"\n", "    Plans:\n      - Node Type: \"Salt Merge\"\n", "- Bucket: 2\n", "        Actual Rows: 3\n", "  Planning Time: \"<hidden>\""} {
		if !strings.Contains(got, part) {
			t.Errorf("YAML lacks %s:\n%s", part, got)
		}
	}
}

// TestNotesFit: what explains an attribute goes on in the next line, however deep its node is.
func TestNotesFit(t *testing.T) {
	for depth := range 12 {
		var w textWriter
		under := strings.Repeat(" ", 6*depth+2)
		w.attr(under, &Attr{Key: "buckets", Value: "8 of 8", Note: "n is bound by a range only, tenant, tid are not bound"})
		w.attr(under, &Attr{Key: "columns", Value: "tenant, tid, n, x", List: true, Note: "read by the index, in the order of its key"})
		for _, line := range w.lines {
			if len(line) > width {
				t.Errorf("%d columns: %s", len(line), line)
			}
		}
	}
}
