package session

import (
	"context"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/explain"
	"github.com/saltsql/saltsql/planner/plan"
)

// Traces: a span of each statement that is sampled, in it one of its planning, one of each node of
// its plan, and in those of scans one of each salt bucket's calls to the store.
//
//	SELECT metrics                 the statement: rows, calls, bytes, SQLSTATE
//	  plan                         where it was planned for this run
//	  Salt Merge                   a node, from when it was opened, for as long as it worked
//	    Scan on metrics
//	      bucket 3                 what the store was asked for one bucket
//
// A statement that is not sampled is counted as ever, and without a tracer nothing is done. No
// span says a constant of a statement.

// maxSpans is how many spans a statement has; what has none of its own is in the sums of the
// spans above it.
const maxSpans = 64

// tracing is one run of a statement that is sampled.
type tracing struct {
	span  oteltrace.Span
	ctx   context.Context // of span
	began time.Time       // what runs the plan
	spans int             // beside span
	left  int             // that would be too many
}

// stretch is when something was done.
type stretch struct{ from, to time.Time }

// traceParent reads the comment that sqlcommenter puts at the end or the beginning of a text.
// nil is none.
func traceParent(text string) *oteltrace.SpanContext {
	text = strings.TrimRight(text, " \t\r\n;")
	comment := ""
	if body, ok := strings.CutSuffix(text, "*/"); ok {
		comment = body[strings.LastIndex(body, "/*")+1:]
	} else if body, ok := strings.CutPrefix(strings.TrimLeft(text, " \t\r\n"), "/*"); ok {
		comment, _, _ = strings.Cut(body, "*/")
	}
	_, value, ok := strings.Cut(comment, "traceparent='")
	if !ok {
		return nil
	}
	value, _, _ = strings.Cut(value, "'")
	if value, err := url.QueryUnescape(value); err == nil {
		return parseTraceParent(value)
	}
	return nil
}

// parseTraceParent reads version-trace-span-flags, in hex, as W3C's Trace Context has it.
func parseTraceParent(value string) *oteltrace.SpanContext {
	parts := strings.Split(value, "-")
	if len(parts) < 4 || len(parts[0]) != 2 || parts[0] == "ff" || parts[0] == "00" && len(parts) != 4 || len(parts[3]) != 2 {
		return nil
	}
	id, err1 := oteltrace.TraceIDFromHex(parts[1])
	span, err2 := oteltrace.SpanIDFromHex(parts[2])
	if err1 != nil || err2 != nil {
		return nil
	}
	var flags oteltrace.TraceFlags
	if c := parts[3][1]; strings.IndexByte("13579bdf", c) >= 0 {
		flags = oteltrace.FlagsSampled
	}
	sc := oteltrace.NewSpanContext(oteltrace.SpanContextConfig{TraceID: id, SpanID: span, TraceFlags: flags, Remote: true})
	return &sc
}

// beginTrace begins the span of a portal's statement, where it is sampled. ctx is the caller's: in
// the same process it may have a span.
func (p *Portal) beginTrace(ctx context.Context) {
	st := p.stmt
	if st.parent != nil {
		ctx = oteltrace.ContextWithRemoteSpanContext(context.WithoutCancel(ctx), *st.parent)
	}
	start := time.Now()
	planning := st.planned
	st.planned = stretch{} // the next run is planned by this one
	if !planning.from.IsZero() && planning.to.Before(start) {
		start = planning.from
	}
	verb, target := st.st.Text, ""
	if st.plan != nil {
		verb = verbOf(st.plan.Tag)
		if len(st.plan.Tables) > 0 {
			target = st.plan.Tables[0].Name
		}
	} else if st.st.Utility != nil {
		verb = st.st.Utility.Tag()
	}
	ctx, span := p.s.db.opts.Tracer.Start(ctx, strings.TrimSpace(verb+" "+target), oteltrace.WithSpanKind(oteltrace.SpanKindServer), oteltrace.WithTimestamp(start))
	if !span.IsRecording() {
		return
	}
	p.trace = &tracing{span: span, ctx: ctx}
	shape, id := dialect.Normalize(st.st.Text)
	span.SetAttributes(attribute.String("db.system.name", "saltsql"), attribute.String("db.namespace", p.s.opts.Database),
		attribute.String("db.operation.name", verb), attribute.String("db.query.text", shape), attribute.Int64("saltsql.query_id", id),
		attribute.String("saltsql.user", p.s.opts.User), attribute.Int64("saltsql.pid", int64(p.s.opts.BackendPID)))
	if !planning.from.IsZero() {
		p.trace.child(ctx, p.s.db.opts.Tracer, "plan", planning.from, planning.to)
	}
	if q := p.planned(); q != nil && q.actual == nil {
		q.actual = &plan.Actuals{}
	}
}

func verbOf(tag string) string {
	verb, _, _ := strings.Cut(tag, " ")
	return verb
}

// child makes a span that has ended; nil where there are too many.
func (t *tracing) child(ctx context.Context, tracer oteltrace.Tracer, name string, from, to time.Time, attrs ...attribute.KeyValue) context.Context {
	if t.spans == maxSpans {
		t.left++
		return nil
	}
	t.spans++
	ctx, span := tracer.Start(ctx, name, oteltrace.WithTimestamp(from), oteltrace.WithAttributes(attrs...))
	span.End(oteltrace.WithTimestamp(to))
	return ctx
}

// endTrace ends the span of a statement, with what its nodes did.
func (p *Portal) endTrace(err error) {
	t := p.trace
	if t == nil {
		return
	}
	p.trace = nil
	rows := p.given
	if q := p.planned(); q != nil {
		if q.actual != nil && q.cx != nil && !q.cx.Start().IsZero() {
			t.began = q.cx.Start()
			t.node(p.s.db.opts.Tracer, t.ctx, q.st.plan.Root, q.actual, stretch{t.began, time.Now()})
		}
		w := &q.work
		t.span.SetAttributes(workOf(&plan.Actual{StorageCalls: w.Calls, RowsRead: w.RowsRead, BytesRead: w.Bytes, RowsWritten: w.Written, Buckets: w.Buckets, SpillBytes: w.SpillBytes})...)
		if q.st.plan != nil {
			t.span.SetAttributes(attribute.String("saltsql.plan", planHash(q.st.plan)))
		}
	}
	t.span.SetAttributes(attribute.Int64("db.response.returned_rows", rows))
	if t.left > 0 {
		t.span.SetAttributes(attribute.Int("saltsql.spans_left_out", t.left))
	}
	if err != nil && err != errClosed {
		code := sqlerr.CodeOf(err).String()
		t.span.SetAttributes(attribute.String("db.response.status_code", code))
		t.span.SetStatus(codes.Error, code)
	}
	t.span.End()
}

// node makes the spans of a node and of what is below it. One that does its work inside the
// node above has no times of its own, but that node's.
func (t *tracing) node(tracer oteltrace.Tracer, ctx context.Context, n plan.Node, a *plan.Actuals, above stretch) {
	did := a.Of(n)
	if did != nil { // it ran
		d := explain.Describe(n)
		name := d.Name
		if d.Object != "" {
			name += " on " + d.Object
		}
		if did.Opened > 0 {
			above.from = t.began.Add(did.Opened)
		}
		if did.Time > 0 {
			above.to = above.from.Add(did.Time)
		}
		attrs := append(workOf(did), attribute.Int64("saltsql.rows", did.Rows))
		if ctx = t.child(ctx, tracer, name, above.from, above.to, attrs...); ctx == nil {
			ctx = t.ctx
		}
		for i := range did.PerBucket {
			b := &did.PerBucket[i]
			t.child(ctx, tracer, "bucket", above.from, above.from.Add(b.Time), append(workOf(&plan.Actual{StorageCalls: b.StorageCalls + b.SharedCalls, RowsRead: b.RowsRead, BytesRead: b.BytesRead}),
				attribute.Int("saltsql.bucket", b.Bucket), attribute.Int64("saltsql.rows", b.Rows))...)
		}
	}
	for _, in := range n.Inputs() {
		t.node(tracer, ctx, in, a, above)
	}
}

// workOf gives the counters that are not 0.
func workOf(a *plan.Actual) (attrs []attribute.KeyValue) {
	for _, c := range []struct {
		name string
		n    int64
	}{
		{"saltsql.storage_calls", a.StorageCalls}, {"saltsql.rows_read", a.RowsRead}, {"saltsql.bytes_read", a.BytesRead},
		{"saltsql.rows_written", a.RowsWritten}, {"saltsql.buckets", a.Buckets}, {"saltsql.spill_bytes", a.SpillBytes},
	} {
		if c.n != 0 {
			attrs = append(attrs, attribute.Int64(c.name, c.n))
		}
	}
	return attrs
}
