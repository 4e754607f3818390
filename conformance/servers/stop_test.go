package servers

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/storage/pebble"
)

// silentCollector takes spans and does not answer.
type silentCollector struct {
	collector.UnimplementedTraceServiceServer
	asked func()
	until chan struct{}
}

func (c *silentCollector) Export(context.Context, *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	c.asked()
	<-c.until
	return &collector.ExportTraceServiceResponse{}, nil
}

// TestStopWaitsForNoCollector holds that a server that is stopped has closed its store before it sends
// its last spans, by which another may open it, and that it ends though nobody answers to them.
func TestStopWaitsForNoCollector(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free := make(chan error, 10)
	c := &silentCollector{until: make(chan struct{}), asked: func() {
		s, err := pebble.Open(dir, &pebble.Options{ReadOnly: true})
		if err == nil {
			err = s.Close()
		}
		free <- err
	}}
	srv := grpc.NewServer()
	collector.RegisterTraceServiceServer(srv, c)
	go srv.Serve(ln)
	t.Cleanup(srv.Stop)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "3600000") // spans wait for the end
	p := harness.Start(t, "pebble:"+dir, "--traces", "http://"+ln.Addr().String(), "--trace-share", "1")
	working, idle := p.Connect(t), p.Connect(t)
	harness.MustExec(t, working, "CREATE TABLE t (k INT PRIMARY KEY)")
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var ended *pgconn.PgError
	for err = nil; err == nil; { // the signal may be behind a statement
		_, err = idle.Exec(context.Background(), "SELECT 1")
	}
	if !errors.As(err, &ended) || ended.Code != "57P01" {
		t.Errorf("an idle client is told %v", err)
	}
	if err := p.Wait(); err != nil { // and not for the collector
		t.Error(err)
	}
	close(c.until)
	if err := <-free; err != nil {
		t.Errorf("the store was not free when the last spans were sent: %v", err)
	}
	if log := p.Log.String(); !strings.Contains(log, "traces are not sent") {
		t.Errorf("the log says\n%s", log)
	}
}
