package planner_test

import (
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/advise"
	"github.com/saltsql/saltsql/planner/plan"
)

func init() { planner.AdviceText = adviceText }

func adviceText(ctx *planner.Context, text string, p *plan.Plan) string {
	out := ""
	stmts, err := dialect.Parse(text)
	if err != nil {
		return err.Error() + "\n"
	}
	for _, a := range advise.For(ctx, stmts[0], p) {
		out += a.Problem + "\n" + a.Cure + "\n"
		if a.DDL != "" {
			out += a.DDL + "\n"
		}
	}
	if out == "" {
		return "nothing\n"
	}
	return out
}
