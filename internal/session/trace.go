package session

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/tracing"
	"github.com/saltsql/saltsql/planner/plan"
)

// beginTrace begins the span of a portal's statement, where it is sampled.
func (p *Portal) beginTrace(ctx context.Context) {
	st := p.stmt
	var start tracing.Start
	if t := st.traced; t != nil {
		start.Parent, start.Planning = t.parent, t.planned
		t.planned = tracing.Stretch{} // the next run is planned by this one
	}
	switch {
	case st.plan != nil:
		start.Verb, _, _ = strings.Cut(st.plan.Tag, " ")
		if len(st.plan.Tables) > 0 {
			start.Target = st.plan.Tables[0].Name
		}
	case st.st.Utility != nil:
		start.Verb = st.st.Utility.Tag()
	default:
		shape, _ := dialect.Normalize(st.st.Text) // the text may have secrets, and names of spans are few
		start.Verb, _, _ = strings.Cut(shape, " ")
	}
	start.Attrs = func() []attribute.KeyValue {
		shape, id := dialect.Normalize(st.st.Text)
		return []attribute.KeyValue{
			attribute.String("db.system.name", "saltsql"), attribute.String("db.namespace", p.s.opts.Database),
			attribute.String("db.operation.name", start.Verb), attribute.String("db.query.text", shape), attribute.Int64("saltsql.query_id", id),
			attribute.String("saltsql.user", p.s.opts.User), attribute.Int64("saltsql.pid", int64(p.s.opts.BackendPID)),
		}
	}
	p.trace = tracing.Begin(ctx, p.s.db.opts.Tracer, &start)
	if q := p.planned(); p.trace != nil && q != nil && q.actual == nil {
		q.actual = &plan.Actuals{}
	}
}

// endTrace ends the span of a statement, with what its nodes did.
func (p *Portal) endTrace(err error) {
	t := p.trace
	if t == nil {
		return
	}
	p.trace = nil
	if q := p.planned(); q != nil {
		if q.actual != nil && q.cx != nil && !q.cx.Start().IsZero() {
			t.Ran(q.st.plan.Root, q.actual, q.cx.Start())
		}
		if q.st.plan != nil {
			work := q.work()
			t.Worked(&work, q.st.plan.Hash())
		}
	}
	code := ""
	if err != nil && err != errClosed {
		code = sqlerr.CodeOf(err).String()
	}
	t.End(p.given, code)
}
