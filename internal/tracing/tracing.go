package tracing

import (
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/saltsql/saltsql/internal/statements"
	"github.com/saltsql/saltsql/planner/explain"
	"github.com/saltsql/saltsql/planner/plan"
)

// maxSpans is how many spans a statement has, its own among them; what has none is in the sums of
// the spans above it.
const maxSpans = 64

// Statement is one run of a statement that is sampled.
type Statement struct {
	tracer trace.Tracer
	span   trace.Span
	ctx    context.Context // of span
	began  time.Time       // what runs the plan
	spans  int             // that are made
	left   int             // that would be too many
}

// Stretch is when something was done.
type Stretch struct{ From, To time.Time }

// Start is what is known of a statement before it runs.
type Start struct {
	Parent   *trace.SpanContext // that its text names; nil where it names none
	Planning Stretch            // for this run; zero where its plan was there
	Verb     string
	Target   string // the relation that it is about; may be empty
	Attrs    func() []attribute.KeyValue
}

// Begin begins the span of a statement; nil where it is not sampled. ctx is the caller's: in the
// same process it may have a span.
func Begin(ctx context.Context, tracer trace.Tracer, s *Start) *Statement {
	if s.Parent != nil {
		ctx = trace.ContextWithRemoteSpanContext(context.WithoutCancel(ctx), *s.Parent)
	}
	start := time.Now()
	if p := s.Planning; !p.From.IsZero() && p.To.Before(start) {
		start = p.From
	}
	ctx, span := tracer.Start(ctx, strings.TrimSpace(s.Verb+" "+s.Target), trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(start))
	if !span.IsRecording() {
		return nil
	}
	t := &Statement{tracer: tracer, span: span, ctx: ctx, spans: 1}
	span.SetAttributes(s.Attrs()...)
	if !s.Planning.From.IsZero() {
		t.child(ctx, "plan", s.Planning.From, s.Planning.To)
	}
	return t
}

// child makes a span that has ended; nil where there are too many.
func (t *Statement) child(ctx context.Context, name string, from, to time.Time, attrs ...attribute.KeyValue) context.Context {
	if t.spans == maxSpans {
		t.left++
		return nil
	}
	t.spans++
	ctx, span := t.tracer.Start(ctx, name, trace.WithTimestamp(from), trace.WithAttributes(attrs...))
	span.End(trace.WithTimestamp(to))
	return ctx
}

// Ran makes the spans of the nodes of a plan that has run since began.
func (t *Statement) Ran(root plan.Node, did *plan.Actuals, began time.Time) {
	t.began = began
	t.node(t.ctx, root, did, Stretch{began, time.Now()})
}

// Worked notes what a plan did, and which it was.
func (t *Statement) Worked(w *statements.Work, planHash string) {
	t.span.SetAttributes(workOf(&plan.Actual{StorageCalls: w.Calls, RowsRead: w.RowsRead, BytesRead: w.Bytes, RowsWritten: w.Written, Buckets: w.Buckets, SpillBytes: w.SpillBytes})...)
	t.span.SetAttributes(attribute.String("saltsql.plan", planHash))
}

// End ends the span of a statement that gave so many rows; sqlState is empty where it did well.
func (t *Statement) End(rows int64, sqlState string) {
	t.span.SetAttributes(attribute.Int64("db.response.returned_rows", rows))
	if t.left > 0 {
		t.span.SetAttributes(attribute.Int("saltsql.spans_left_out", t.left))
	}
	if sqlState != "" {
		t.span.SetAttributes(attribute.String("db.response.status_code", sqlState))
		t.span.SetStatus(codes.Error, sqlState)
	}
	t.span.End()
}

// node makes the spans of a node and of what is below it. One that does its work inside the
// node above has no times of its own, but that node's.
func (t *Statement) node(ctx context.Context, n plan.Node, a *plan.Actuals, above Stretch) {
	did := a.Of(n)
	if did != nil { // it ran
		d := explain.Describe(n)
		name := d.Name
		if d.Object != "" {
			name += " on " + d.Object
		}
		if did.Opened > 0 {
			above.From = t.began.Add(did.Opened)
		}
		if did.Time > 0 {
			above.To = above.From.Add(did.Time)
		}
		attrs := append(workOf(did), attribute.Int64("saltsql.rows", did.Rows))
		if ctx = t.child(ctx, name, above.From, above.To, attrs...); ctx == nil {
			ctx = t.ctx
		}
		for i := range did.PerBucket {
			b := &did.PerBucket[i]
			t.child(ctx, "bucket", above.From, above.From.Add(b.Time), append(workOf(&plan.Actual{StorageCalls: b.StorageCalls + b.SharedCalls, RowsRead: b.RowsRead, BytesRead: b.BytesRead}),
				attribute.Int("saltsql.bucket", b.Bucket), attribute.Int64("saltsql.rows", b.Rows))...)
		}
	}
	for _, in := range n.Inputs() {
		t.node(ctx, in, a, above)
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
