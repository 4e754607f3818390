package servers

import (
	"context"
	"encoding/hex"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"

	"github.com/saltsql/saltsql/conformance/harness"
)

// traceCollector takes spans as OpenTelemetry's collector does.
type traceCollector struct {
	collector.UnimplementedTraceServiceServer
	mu    sync.Mutex
	spans []*tracepb.Span
}

func (c *traceCollector) Export(_ context.Context, r *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, rs := range r.ResourceSpans {
		for _, ss := range rs.ScopeSpans {
			c.spans = append(c.spans, ss.Spans...)
		}
	}
	return &collector.ExportTraceServiceResponse{}, nil
}

// of gives the spans of a trace by their IDs.
func (c *traceCollector) of(trace string) map[string]*tracepb.Span {
	out := map[string]*tracepb.Span{}
	for _, s := range c.spans {
		if hex.EncodeToString(s.TraceId) == trace {
			out[hex.EncodeToString(s.SpanId)] = s
		}
	}
	return out
}

// has says that the span of a trace is there whose parent the client named: it ends after its others.
func (c *traceCollector) has(trace string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.of(trace) {
		if hex.EncodeToString(s.ParentSpanId) == "00000000000000aa" {
			return true
		}
	}
	return false
}

func spanAttrs(s *tracepb.Span) map[string]any {
	out := map[string]any{}
	for _, a := range s.Attributes {
		if v := a.Value.GetStringValue(); v != "" {
			out[a.Key] = v
		} else {
			out[a.Key] = a.Value.GetIntValue()
		}
	}
	return out
}

// TestTraces runs statements on a server that sends its spans to a collector, with parents in
// comments as sqlcommenter writes them, and looks at what came when the server has ended.
func TestTraces(t *testing.T) {
	ctx := context.Background()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	took := &traceCollector{}
	srv := grpc.NewServer()
	collector.RegisterTraceServiceServer(srv, took)
	go srv.Serve(ln)
	defer srv.Stop()
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
	p := harness.Start(t, "pebble:"+filepath.Join(t.TempDir(), "store"), "--traces", "http://"+ln.Addr().String(), "--trace-share", "0")
	c := p.Connect(t)
	harness.MustExec(t, c, "CREATE TABLE few (k INT PRIMARY KEY, v VARCHAR) SALT_BUCKETS = 4")
	harness.MustExec(t, c, "CREATE TABLE lots (k INT PRIMARY KEY, v VARCHAR) SALT_BUCKETS = 256")
	harness.MustExec(t, c, "INSERT INTO few SELECT i, 'secret' FROM generate_series(1, 100) i")
	n := 0
	traced := func(sql, flags string, mode pgx.QueryExecMode) (id string) {
		n++
		id = fmt.Sprintf("%032x", n)
		_, err := c.Exec(ctx, fmt.Sprintf("%s /*route='%%2Fusers',traceparent='00-%s-00000000000000aa-%s'*/;", sql, id, flags), mode)
		if err != nil && !strings.Contains(sql, "/ 0") {
			t.Fatal(sql, err)
		}
		return id
	}
	read := "SELECT v, count(*) FROM few WHERE v = 'secret' GROUP BY v ORDER BY v"
	simple := traced(read, "01", pgx.QueryExecModeSimpleProtocol)
	again := traced(read, "01", pgx.QueryExecModeSimpleProtocol)
	extended := traced(read, "01", pgx.QueryExecModeExec)
	unsampled := traced(read, "00", pgx.QueryExecModeSimpleProtocol)
	wide := traced("SELECT count(*) FROM lots", "01", pgx.QueryExecModeSimpleProtocol)
	failed := traced("SELECT k / 0, 'secret' FROM few", "01", pgx.QueryExecModeSimpleProtocol)
	ddl := traced("CREATE TABLE other (k INT PRIMARY KEY)", "01", pgx.QueryExecModeSimpleProtocol)
	wrote := traced("INSERT INTO few VALUES (-1, 'secret')", "01", pgx.QueryExecModeExec)
	inText := "SELECT '/*traceparent=''00-" + strings.Repeat("f", 32) + "-00000000000000aa-01''*/'"
	harness.MustExec(t, c, inText)
	c.Close(ctx)
	// A server that ends does not wait long for a collector: the last span is awaited before.
	for end := time.Now().Add(harness.Patience); time.Now().Before(end) && !took.has(wrote); {
		time.Sleep(20 * time.Millisecond)
	}
	p.Stop(t)

	took.mu.Lock()
	defer took.mu.Unlock()
	root := func(id string) (*tracepb.Span, map[string]any) {
		t.Helper()
		for _, s := range took.of(id) {
			if hex.EncodeToString(s.ParentSpanId) == "00000000000000aa" {
				return s, spanAttrs(s)
			}
		}
		t.Fatalf("trace %s has no span under its parent: %v", id, took.of(id))
		return nil, nil
	}
	for _, id := range []string{simple, again, extended} {
		s, a := root(id)
		if s.Name != "SELECT few" || a["db.response.returned_rows"] != int64(1) || a["saltsql.rows_read"] != int64(100) || a["saltsql.buckets"] != int64(4) || a["db.query.text"] != "SELECT v, count(*) FROM few WHERE v = $1 GROUP BY v ORDER BY v" {
			t.Errorf("%s: %v", s.Name, a)
		}
		names := map[string]int{}
		spans := took.of(id)
		for _, x := range spans {
			names[x.Name]++
			parent := spans[hex.EncodeToString(x.ParentSpanId)]
			if x != s && parent == nil {
				t.Errorf("%s is below no span of its trace", x.Name)
			}
			if x.EndTimeUnixNano < x.StartTimeUnixNano || parent != nil && x.StartTimeUnixNano < parent.StartTimeUnixNano {
				t.Errorf("%s is from %d to %d", x.Name, x.StartTimeUnixNano, x.EndTimeUnixNano)
			}
			if x.Name == "bucket" && (spanAttrs(x)["saltsql.storage_calls"] == nil || !strings.Contains(parent.Name, "few")) {
				t.Errorf("a bucket, below %s: %v", parent.Name, spanAttrs(x))
			}
		}
		if names["bucket"] != 4 || names["plan"] != 1 {
			t.Errorf("the spans are %v", names)
		}
		t.Log(names)
	}
	if got := took.of(unsampled); len(got) > 0 {
		t.Errorf("what is not sampled has spans: %v", got)
	}
	if _, a := root(wide); len(took.of(wide)) != 64 || a["saltsql.spans_left_out"] == nil || a["saltsql.buckets"] != int64(256) {
		t.Errorf("a scan of 256 buckets has %d spans: %v", len(took.of(wide)), a)
	}
	if s, a := root(failed); s.Status.GetCode() != tracepb.Status_STATUS_CODE_ERROR || a["db.response.status_code"] != "22012" {
		t.Errorf("a failure: %v %v", s.Status, a)
	}
	if s, _ := root(ddl); s.Name != "CREATE TABLE" {
		t.Errorf("DDL: %s", s.Name)
	}
	if s, a := root(wrote); s.Name != "INSERT few" || a["saltsql.rows_written"] != int64(1) {
		t.Errorf("%s: %v", s.Name, a)
	}
	for _, s := range took.spans {
		if strings.Contains(fmt.Sprint(s), "secret") {
			t.Errorf("a constant is in %v", s)
		}
		if hex.EncodeToString(s.TraceId) == strings.Repeat("f", 32) {
			t.Error("a parent is read in a string")
		}
	}
}
