package session

import (
	"context"
	"io"
	"time"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/advise"
	"github.com/saltsql/saltsql/planner/explain"
	"github.com/saltsql/saltsql/planner/plan"
)

// explained is the statement EXPLAIN is about: EXECUTE stands for what it runs, which
// need have no plan.
func (s *Session) explained(ctx context.Context, u *tree.Explain, hints []types.T) (*Stmt, *tree.Execute, error) {
	if e, ok := u.Stmt.Utility.(*tree.Execute); ok {
		return s.executed(e)
	}
	st := &Stmt{st: u.Stmt, hints: hints}
	if _, ok := u.Stmt.Utility.(*tree.Refresh); ok {
		return st, nil, nil
	}
	if u.Stmt.Utility != nil {
		return nil, nil, sqlerr.Unsupported("EXPLAIN "+u.Stmt.Utility.Tag()+" is not supported", "EXPLAIN takes SELECT, VALUES, INSERT, UPSERT, UPDATE, DELETE and EXECUTE.")
	}
	return st, nil, s.planStmt(ctx, st)
}

func (s *Session) describeExplain(ctx context.Context, st *Stmt, u *tree.Explain) error {
	o, err := planner.ExplainOptions(u.Options)
	if err != nil {
		return err
	}
	if u.Advise && (o.Analyze || o.JSON || o.YAML) {
		return sqlerr.Unsupported("EXPLAIN ADVISE with ANALYZE or another FORMAT than TEXT is not supported", "Use EXPLAIN ADVISE alone, and EXPLAIN (ANALYZE, FORMAT JSON) for the counters.")
	}
	if u.Salt && len(u.Options) > 0 {
		return sqlerr.Unsupported("EXPLAIN SALT with ANALYZE or other options is not supported", "Use EXPLAIN SALT alone, and EXPLAIN ANALYZE for the counters of the present salt.")
	}
	inner, exec, err := s.explained(ctx, u, st.hints)
	if err != nil {
		return err
	}
	if exec == nil {
		st.params = inner.params
	}
	t := types.Text
	if o.JSON {
		t = types.JSON
	}
	st.cols = []Column{{Name: "QUERY PLAN", Type: types.Of(t)}}
	if u.Advise {
		st.cols[0].Name = "ADVICE"
	}
	if u.Salt {
		st.cols[0].Name = "SALT"
	}
	return nil
}

// newExplain plans, and with ANALYZE runs, the statement, and prints its plan.
func (s *Session) newExplain(p *Portal, u *tree.Explain, params []types.Datum) runner {
	c := &command{cols: p.cols}
	c.do = func(ctx context.Context) (string, [][]string, error) {
		o, err := planner.ExplainOptions(u.Options)
		if err != nil {
			return "", nil, err
		}
		start := time.Now()
		st, exec, err := s.explained(ctx, u, p.stmt.params)
		if err != nil {
			return "", nil, err
		}
		switch {
		case st.Empty():
			return "EXPLAIN", nil, nil
		case st.plan == nil:
			return "EXPLAIN", [][]string{{"Utility statements have no plan structure"}}, nil
		}
		began := time.Now()
		s.db.sizes.Measure(ctx, st.plan.Tables)
		start = start.Add(time.Since(began))       // no other statement waits for it
		if err := s.refresh(ctx, st); err != nil { // what was found out may make another plan
			return "", nil, err
		}
		if err := s.identity().MayRun(st.plan, &st.allowed); err != nil {
			return "", nil, err
		}
		if o.Analyze {
			if err := populated(st.plan, nil); err != nil {
				return "", nil, err
			}
		}
		if u.Advise {
			return "EXPLAIN", lineRows(advise.Lines(s.advice(st.st, st.plan))), nil
		}
		run := &query{s: s, st: st, params: params}
		if exec != nil {
			inner, err := s.newExecute(ctx, p, exec)
			if err != nil {
				return "", nil, err
			}
			run = inner.(*query)
			st = run.st // it may have a plan for its arguments
		}
		shown := st.plan
		with := s.supposedContext(st)
		if u.Salt {
			if with == nil {
				with = s.plannerContext(s.snapshot(), st.params, false)
			}
			lines, err := s.explainSalt(with, st, run.params)
			return "EXPLAIN", lineRows(lines), err
		}
		if with != nil && o.Analyze {
			s.notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "hypothetical indexes are left out, for ANALYZE runs the statement"))
			with = nil
		}
		if with == nil {
			with = s.plannerContext(s.snapshot(), nil, false)
		} else if shown, err = planner.Plan(with, st.st); err != nil {
			return "", nil, err
		}
		o.Estimates = estimates(with, shown, o.Verbose)
		var actuals *plan.Actuals
		if o.Analyze || o.Summary {
			actuals = &plan.Actuals{Planning: time.Since(start), Nodes: map[plan.Node]*plan.Actual{}}
		}
		if o.Analyze {
			if err := s.analyze(ctx, run, actuals); err != nil {
				return "", nil, err
			}
		}
		return "EXPLAIN", lineRows(explain.Lines(shown, o, actuals)), nil
	}
	return c
}

// analyze runs a query to its end and drops its rows.
func (s *Session) analyze(ctx context.Context, q *query, a *plan.Actuals) error {
	q.actual = a
	defer q.close()
	start := time.Now()
	for {
		if _, err := q.next(ctx); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
	}
	err := q.close()
	a.Execution = time.Since(start)
	return err
}

// estimates are the planner's guesses of the rows of each node and, if asked for, of its cost.
func estimates(ctx *planner.Context, p *plan.Plan, costs bool) *explain.Estimates {
	e := &explain.Estimates{Rows: planner.Estimates(ctx, p)}
	if costs {
		e.Costs = planner.Costs(ctx, p)
	}
	return e
}

// lineRows are lines as rows of one text.
func lineRows(lines []string) [][]string {
	rows := make([][]string, len(lines))
	for i := range lines {
		rows[i] = lines[i : i+1]
	}
	return rows
}
