package exec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestGolden shows what operators read and give. Commands:
//
//	table  buckets=N rows=N hosts=N [store=mem|remote]
//	read   node=merge|gather|serial|points [order=forward|reverse] [limit=N]
//	       [host=NAME,…] [from=TS] [to=TS] [where=N] [buckets]
//
// A row is host|ts. Below the rows: rows read, storage calls, full keys asked
// for, buckets; and with "buckets" a line for each.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var f *fixture
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "table" {
				var buckets, rows, hosts int
				d.ScanArgs(t, "buckets", &buckets)
				d.ScanArgs(t, "rows", &rows)
				d.ScanArgs(t, "hosts", &hosts)
				opt := withStore(mem.New())
				if d.HasArg("store") {
					opt = withStore(remote{mem.New()})
				}
				f = newFixture(t, buckets, opt)
				f.load(rows, hosts)
				return "ok\n"
			}
			f.t = t
			return f.golden(d)
		})
	})
}

func (f *fixture) golden(d *datadriven.TestData) string {
	s := f.scan("host", "ts")
	var terms []plan.KeyTerm
	if a, ok := d.Arg("host"); ok {
		var hosts []expr.Expr
		for _, h := range a.Vals {
			hosts = append(hosts, lit("host-"+h))
		}
		terms = append(terms, term(plan.KeyIn, 0, hosts...))
	}
	number := func(name string) (n int, ok bool) {
		if ok = d.HasArg(name); ok {
			d.ScanArgs(f.t, name, &n)
		}
		return n, ok
	}
	if n, ok := number("from"); ok {
		terms = append(terms, term(plan.KeyGe, 1, lit(n)))
	}
	if n, ok := number("to"); ok {
		terms = append(terms, term(plan.KeyLt, 1, lit(n)))
	}
	if a, ok := d.Arg("ts"); ok {
		var list []expr.Expr
		for i := range a.Vals {
			var n int
			a.Scan(f.t, i, &n)
			list = append(list, lit(n))
		}
		terms = append(terms, term(plan.KeyIn, 1, list...))
	}
	if terms != nil {
		s.Key = key(terms...)
	}
	if n, ok := number("where"); ok {
		s.Filter = opCall("=", opCall("%", colAt(1, tInt8), lit(n)), lit(0))
	}
	s.Order = plan.Forward
	if a, ok := d.Arg("order"); ok && a.Vals[0] == "reverse" {
		s.Order = plan.Reverse
	}
	limit, limited := number("limit")
	if limited {
		s.Limit = lit(limit)
	}
	var root plan.Node
	node, _ := d.Arg("node")
	switch node.Vals[0] {
	case "merge":
		root = f.merged(s, s.Order)
	case "gather", "serial":
		s.Order = plan.Unordered
		root = &plan.SaltGather{Input: s, Serial: node.Vals[0] == "serial"}
	default:
		root = s
	}
	if limited {
		root = &plan.Limit{Input: root, Count: lit(limit)}
	}
	f.acts = &plan.Actuals{}
	out, err := f.run(root)
	if err != nil {
		return err.Error() + "\n"
	}
	if s.Order == plan.Unordered {
		out = sorted(out)
	}
	if n := strings.Count(out, "\n"); n > 12 {
		out = fmt.Sprintf("(%d rows)\n", n)
	}
	w := f.work
	out += fmt.Sprintf("-- rows read %d, calls %d, keys %d, buckets %d\n", w.RowsRead, w.StorageCalls, w.Points, w.Buckets)
	if d.HasArg("buckets") {
		for _, b := range f.acts.Of(s).PerBucket {
			out += fmt.Sprintf("-- bucket %d: rows %d, calls %d", b.Bucket, b.Rows, b.StorageCalls)
			if b.SharedCalls > 0 {
				out += fmt.Sprintf(", shared calls %d", b.SharedCalls)
			}
			out += "\n"
		}
	}
	return out
}
