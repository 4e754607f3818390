package planner

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/colstats"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/histogram"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/explain"
	"github.com/saltsql/saltsql/planner/plan"
)

// TestPlans runs the golden files. Commands:
//
//	table, view   define a relation (see toyCatalog)
//	load          let the rows of a table be known (see toyHistograms)
//	plan          print the plan of a statement
//	bind          the same with all rules off
//	columns       print the result's columns and the parameters' types
//	advise        print what EXPLAIN ADVISE says
//
// with the arguments
//
//	expect=(rule)      fails where the rule did not fire
//	expect-not=(rule)  fails where it did
//	disable=(rule)     switches rules off
//	types=(int4,text)  declares the parameters' types
//	rows=500           every table is known to have so many rows
//	seek=32            the tables loaded are known; a seek costs so many rows
//	json, verbose      print so
//
// An error prints as SQLSTATE, message, position, DETAIL and HINT.
func TestPlans(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		cat := newToyCatalog()
		known := &toyHistograms{by: map[uint32]*histogram.Histogram{}}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "table":
				cat.define(t, d)
				return ""
			case "view":
				cat.defineView(t, d)
				return ""
			case "load":
				known.load(t, d, cat)
				return ""
			case "plan", "bind", "columns", "advise":
				return planCommand(t, d, cat, known)
			}
			d.Fatalf(t, "unknown command %q", d.Cmd)
			return ""
		})
	})
}

func planCommand(t *testing.T, d *datadriven.TestData, cat *toyCatalog, known *toyHistograms) string {
	t.Helper()
	var fired []string
	ctx := testContext(cat)
	ctx.Options.Fired = func(rule string) { fired = append(fired, rule) }
	ctx.Options.Made = func(rule string, root plan.Node) {
		if err := whole(root); err != nil {
			d.Fatalf(t, "%s made a plan that is not whole: %v", rule, err)
		}
	}
	ctx.Options.DisableAllRules = d.Cmd == "bind"
	o := explain.Options{HideVolatile: true}
	var want, wantNot []string
	for _, a := range d.CmdArgs {
		switch a.Key {
		case "expect":
			want = a.Vals
		case "expect-not":
			wantNot = a.Vals
		case "disable":
			ctx.Options.DisableRules = a.Vals
		case "types":
			for _, v := range a.Vals {
				typ, err := types.FromName(v, nil, false)
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				ctx.ParamTypes = append(ctx.ParamTypes, typ)
			}
		case "rows":
			n, err := strconv.ParseInt(a.Vals[0], 10, 64)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			ctx.Estimator = sameRows(n)
		case "seek":
			n, err := strconv.ParseFloat(a.Vals[0], 64)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			known.seek = n
			ctx.Estimator = known
		case "json":
			o.JSON = true
		case "verbose":
			o.Verbose = true
		default:
			d.Fatalf(t, "unknown argument %q", a.Key)
		}
	}
	for _, r := range slices.Concat(want, wantNot, ctx.Options.DisableRules) {
		if !slices.Contains(RuleNames(), r) {
			d.Fatalf(t, "no rule %q", r)
		}
	}
	text := ""
	ctx.Notice = func(n *sqlerr.Error) { text += fmt.Sprintf("%s: %s\n", n.Severity, n.Message) }
	p, err := planText(ctx, d.Input)
	if err == nil && d.Cmd == "advise" {
		return text + AdviceText(ctx, d.Input, p)
	}
	if err == nil && ctx.Estimator != nil {
		o.Estimates = &explain.Estimates{Rows: Estimates(ctx, p)}
	}
	for _, r := range want {
		if !slices.Contains(fired, r) {
			text += fmt.Sprintf("%s%s did not fire; fired: %v\n", wrongRule, r, fired)
		}
	}
	for _, r := range wantNot {
		if slices.Contains(fired, r) {
			text += fmt.Sprintf("%s%s fired\n", wrongRule, r)
		}
	}
	return text + planOutput(d, p, err, o)
}

// sameRows is an Estimator.
type sameRows int64

func (n sameRows) TableRows(*catalog.Table) (int64, bool) { return int64(n), true }

func (n sameRows) Spread(*catalog.Table, *plan.KeyCond, int, *expr.Env) (histogram.Spread, bool) {
	return histogram.Spread{}, false
}

func (n sameRows) Part(*catalog.Table, *plan.KeyCond, *plan.KeyCond, int, *expr.Env) (float64, bool) {
	return 0, false
}

func (n sameRows) Column(*catalog.Table, int) *colstats.Column { return nil }

func (n sameRows) SeekRows() float64 { return 32 }

// AdviceText prints the advice for a plan. A test of the package from outside sets it: package
// advise is above this one.
var AdviceText func(ctx *Context, text string, p *plan.Plan) string

// wrongRule begins a line that no golden file may have: -rewrite does not hide it.
const wrongRule = "WRONG: rule "

func TestGoldensExpectTheirRules(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), wrongRule) {
			t.Errorf("%s has lines that begin with %q", path, wrongRule)
		}
	})
}

// TestEveryRuleHasCases: each rule has a golden case where it must fire and one where it
// must not.
func TestEveryRuleHasCases(t *testing.T) {
	var all strings.Builder
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	})
	for _, r := range RuleNames() {
		for _, arg := range []string{"expect=(" + r + ")", "expect-not=(" + r + ")"} {
			if !strings.Contains(all.String(), arg) {
				t.Errorf("no case %s", arg)
			}
		}
	}
}

func planOutput(d *datadriven.TestData, p *plan.Plan, err error, o explain.Options) string {
	if err != nil {
		return errorText(err)
	}
	if d.Cmd == "columns" {
		return columnsText(p)
	}
	return strings.Join(explain.Lines(p, o, nil), "\n") + "\n"
}

func testContext(cat Catalog) *Context {
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	return &Context{
		Catalog: cat, SearchPath: []string{"public"},
		Env: &expr.Env{Now: now, StmtTime: now, TimeZone: time.UTC},
	}
}

func planText(ctx *Context, text string) (*plan.Plan, error) {
	stmts, err := dialect.Parse(text)
	if err != nil {
		return nil, err
	}
	if len(stmts) != 1 {
		return nil, fmt.Errorf("%d statements", len(stmts))
	}
	if c, ok := stmts[0].Utility.(*tree.Copy); ok {
		if c.From {
			return CopyFrom(ctx, stmts[0], c)
		}
		return CopyTo(ctx, stmts[0], c)
	}
	return Plan(ctx, stmts[0])
}

func errorText(err error) string {
	e := sqlerr.As(err)
	if e == nil {
		return "not a SQL error: " + err.Error() + "\n"
	}
	out := fmt.Sprintf("%s: %s", e.SQLState(), e.Message)
	if e.Position > 0 {
		out += fmt.Sprintf(" (at %d)", e.Position)
	}
	if e.Detail != "" {
		out += "\nDETAIL: " + e.Detail
	}
	if e.Hint != "" {
		out += "\nHINT: " + e.Hint
	}
	if e.Cause != nil {
		out += "\ncause: " + e.Cause.Error()
	}
	return out + "\n"
}

func columnsText(p *plan.Plan) string {
	var out strings.Builder
	for _, c := range p.Columns {
		fmt.Fprintf(&out, "%s %s", c.Name, c.Type)
		if c.Table != 0 {
			fmt.Fprintf(&out, " (column %d)", c.ColumnID)
		}
		out.WriteByte('\n')
	}
	for i, t := range p.ParamTypes {
		fmt.Fprintf(&out, "$%d %s\n", i+1, t)
	}
	if out.Len() == 0 {
		return "none\n"
	}
	return out.String()
}
