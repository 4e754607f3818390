package tracing

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/saltsql/saltsql/planner/plan"
)

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

// TestParent reads comments at both ends, and nothing that only looks like one.
func TestParent(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT 1 /*traceparent='" + parent + "'*/":                                "0af7651916cd43dd8448eb211c80319c",
		"SELECT 1 /*route='%2Fx',traceparent='" + parent + "',a='b'*/ ; \n":        "0af7651916cd43dd8448eb211c80319c",
		" /*traceparent='" + strings.ReplaceAll(parent, "-", "%2D") + "'*/ SELECT": "0af7651916cd43dd8448eb211c80319c",
		"SELECT '/*traceparent=''" + parent + "''*/'":                              "",
		"SELECT 1 -- traceparent='" + parent + "'":                                 "",
		"SELECT 1 /*traceparent='" + parent + "-more'*/":                           "", // version 00 has four parts
		"SELECT 1 /*traceparent='ff" + parent[2:] + "'*/":                          "",
		"SELECT 1 /*traceparent='00-xyz-b7ad6b7169203331-01'*/":                    "",
		"SELECT 1 /*traceparent='" + parent:                                        "",
		"":                                                                         "",
	} {
		got := ""
		if sc := Parent(text); sc != nil {
			got = sc.TraceID().String()
			if !sc.IsSampled() || !sc.IsRemote() {
				t.Errorf("%q: %+v", text, sc)
			}
		}
		if got != want {
			t.Errorf("%q: trace %q, want %q", text, got, want)
		}
	}
}

func FuzzParent(f *testing.F) {
	f.Add("SELECT 1 /*traceparent='" + parent + "'*/")
	f.Fuzz(func(t *testing.T, text string) {
		if sc := Parent(text); sc != nil && !sc.TraceID().IsValid() {
			t.Errorf("%q: trace %v", text, sc.TraceID())
		}
	})
}

// TestSpans runs a plan of a sort over a scan of many buckets: each has its span below the one
// above, until there are too many, and the statement's says how many were left out.
func TestSpans(t *testing.T) {
	rec := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(rec))
	s := Begin(context.Background(), provider.Tracer("test"), &Start{
		Parent: Parent("/*traceparent='" + parent + "'*/"), Verb: "SELECT", Target: "t",
		Planning: Stretch{time.Now(), time.Now()},
		Attrs:    func() []attribute.KeyValue { return []attribute.KeyValue{attribute.String("user", "u")} },
	})
	one := &plan.OneRow{}
	sort := &plan.Sort{Input: one}
	const buckets = 100
	did := &plan.Actuals{Nodes: map[plan.Node]*plan.Actual{sort: {Rows: 3}, one: {Rows: 3, PerBucket: make([]plan.BucketActual, buckets)}}}
	s.Ran(sort, did, time.Now())
	s.End(3, "57014")
	spans := map[string]int{}
	var root sdk.ReadOnlySpan
	for _, sp := range rec.Ended() {
		spans[sp.Name()]++
		if sp.SpanContext().TraceID().String() != "0af7651916cd43dd8448eb211c80319c" {
			t.Errorf("%s: trace %v", sp.Name(), sp.SpanContext().TraceID())
		}
		if sp.Name() == "SELECT t" {
			root = sp
		}
	}
	if root == nil || spans["plan"] != 1 || spans["Sort"] != 1 || spans["bucket"] != maxSpans-4 {
		t.Fatalf("spans: %v", spans)
	}
	told := map[attribute.Key]attribute.Value{}
	for _, a := range root.Attributes() {
		told[a.Key] = a.Value
	}
	if told["saltsql.spans_left_out"].AsInt64() != buckets-(maxSpans-4) || told["db.response.status_code"].AsString() != "57014" ||
		told["db.response.returned_rows"].AsInt64() != 3 || told["user"].AsString() != "u" {
		t.Errorf("attributes: %v", told)
	}
	never := sdk.NewTracerProvider(sdk.WithSampler(sdk.NeverSample()))
	if s := Begin(context.Background(), never.Tracer("test"), &Start{Verb: "SELECT"}); s != nil {
		t.Error("a statement that is not sampled has a span")
	}
}
