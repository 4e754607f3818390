package exec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/planner/plan"
)

var setColumns = []oracleColumn{
	{"i", "int4", []string{"NULL", "1", "2", "3", "4", "5", "-6"}},
	{"j", "int8", []string{"NULL", "1", "2", "100", "9223372036854775807"}},
	{"n", "numeric", []string{"NULL", "1.5", "2", "-7", "NaN"}},
	{"s", "text", []string{"NULL", "a", "bb", "", "a longer text than the others, so that it is more than a word or two"}},
	{"f", "float8", []string{"NULL", "0", "1", "NaN", "Infinity"}},
	{"d", "date", []string{"NULL", "2024-01-01", "2024-01-02"}},
	{"a", "_int4", []string{"NULL", "{1,2}", "{1,NULL}", "{}"}},
	{"b", "bool", []string{"NULL", "t", "f"}},
	{"c", "char(3)", []string{"NULL", "x", "xy", "z"}},
}

// project gives columns of a table.
func (t *oracleTable) project(names ...string) plan.Node {
	p := &plan.Project{Input: t.node()}
	for _, n := range names {
		c := t.col(n)
		p.Exprs, p.Cols = append(p.Exprs, c), append(p.Cols, plan.Column{Name: n, Type: c.Type()})
	}
	return p
}

func TestSetOpsAgainstPostgres(t *testing.T) {
	seed := seeds.First(t)
	o := newOracle(t, seed)
	for range 4 {
		l, r := o.table("l", pick(o, 0, 1, 50, 2000), setColumns...), o.table("r", pick(o, 0, 1, 50, 3000), setColumns...)
		for range 12 {
			o.f.set = op.Settings{WorkMem: pick(o, int64(0), 1<<12, 1<<14), TempDir: t.TempDir()}
			names := []string{setColumns[o.rng.IntN(len(setColumns))].name}
			for o.rng.IntN(3) > 0 && len(names) < 5 {
				names = append(names, setColumns[o.rng.IntN(len(setColumns))].name)
			}
			if o.rng.IntN(6) == 0 {
				names = append(names, "id")
			}
			left, right := l.project(names...), r.project(names...)
			n := &plan.SetOp{Except: o.rng.IntN(2) == 0, All: o.rng.IntN(2) == 0, Left: left, Right: right, Cols: left.Columns()}
			op := map[bool]string{true: "EXCEPT", false: "INTERSECT"}[n.Except] + map[bool]string{true: " ALL"}[n.All]
			cols := strings.Join(names, ", ")
			o.check(fmt.Sprintf("SELECT %s FROM l %s SELECT %s FROM r", cols, op, cols), n, nil)
		}
	}
}

func TestGroupingSetsAgainstPostgres(t *testing.T) {
	seed := seeds.First(t)
	o := newOracle(t, seed)
	for range 3 {
		tab := o.table("g", pick(o, 0, 1, 50, 2000), setColumns...)
		for range 12 {
			o.f.set = op.Settings{WorkMem: pick(o, int64(0), 1<<12, 1<<14), TempDir: t.TempDir()}
			o.groupingSets(tab)
		}
	}
}

func (o *oracle) groupingSets(tab *oracleTable) {
	o.t.Helper()
	n := &plan.Aggregate{Input: tab.node()}
	var names []string
	for _, i := range o.rng.Perm(len(setColumns))[:1+o.rng.IntN(4)] {
		names = append(names, setColumns[i].name)
		n.Groups = append(n.Groups, tab.col(setColumns[i].name))
		n.Cols = append(n.Cols, plan.Column{Type: tab.col(setColumns[i].name).Type()})
	}
	var sets []string
	for range 1 + o.rng.IntN(4) {
		set, text := []int{}, []string{}
		for i := range names {
			if o.rng.IntN(2) == 0 {
				set, text = append(set, i), append(text, names[i])
			}
		}
		n.Sets = append(n.Sets, set)
		sets = append(sets, "("+strings.Join(text, ", ")+")")
	}
	// Every column is grouped by somewhere.
	all := []int{}
	for i := range names {
		all = append(all, i)
	}
	n.Sets, sets = append(n.Sets, all), append(sets, "("+strings.Join(names, ", ")+")")
	sql := "SELECT " + strings.Join(names, ", ")
	distinct, err := expr.ResolveAgg("count", []expr.Expr{tab.col("s")}, true, 0)
	if err != nil {
		o.t.Fatal(err)
	}
	list := callOf("string_agg", &expr.Cast{X: tab.col("id"), To: tText, Explicit: true}, lit(","))
	list.OrderBy = []plan.SortKey{{Expr: tab.col("id"), Desc: true}}
	for _, a := range []struct {
		sql  string
		call plan.AggCall
	}{
		{"count(*)", callOf("count")}, {"sum(j)", callOf("sum", tab.col("j"))}, {"max(n)", callOf("max", tab.col("n"))},
		{"count(DISTINCT s)", plan.AggCall{Agg: distinct, Args: distinct.Args, Distinct: true}},
		{"string_agg(id::text, ',' ORDER BY id DESC)", list},
	} {
		if o.rng.IntN(2) == 0 {
			sql += ", " + a.sql
			n.Aggs, n.Cols = append(n.Aggs, a.call), append(n.Cols, plan.Column{Type: a.call.Agg.T})
		}
	}
	for range o.rng.IntN(3) {
		args, text := []int{}, []string{}
		for _, i := range o.rng.Perm(len(names))[:1+o.rng.IntN(len(names))] {
			args, text = append(args, i), append(text, names[i])
		}
		n.Groupings, n.Cols = append(n.Groupings, args), append(n.Cols, plan.Column{Type: tInt4})
		sql += ", GROUPING(" + strings.Join(text, ", ") + ")"
	}
	o.check(sql+" FROM g GROUP BY GROUPING SETS ("+strings.Join(sets, ", ")+")", n, nil)
}
