package metrics

import (
	"context"
	"fmt"
	"net/http"
	"net/http/pprof"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/pebble"
)

// readyTimeout is how long the store may take to answer a server that is ready.
const readyTimeout = time.Second

// Server answers the three paths. It is an http.Handler.
type Server struct {
	http.Handler
	db       *session.DB
	draining atomic.Bool
}

// New makes a Server over db and its store. version is what the program says of itself.
func New(db *session.DB, store storage.Store, version string) *Server {
	reg := prometheus.NewRegistry()
	reg.MustRegister(collector{db}, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "saltsql_build_info", Help: "1, with what was built.", ConstLabels: prometheus.Labels{"version": version, "store": store.Caps().Name},
	}, func() float64 { return 1 }))
	switch store := store.(type) {
	case *pebble.Store:
		reg.MustRegister(storeCollector{store})
	case *bigtable.Store:
		reg.MustRegister(remoteCollector{store})
	}
	s := &Server{db: db}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(reg, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := s.Ready(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	s.Handler = mux
	return s
}

// Drain makes the server not ready: it is about to end.
func (s *Server) Drain() { s.draining.Store(true) }

// Ready says whether statements would be answered: the store gives the catalog's root within a
// second, this server's lease holds, and it is not about to end.
func (s *Server) Ready(ctx context.Context) error {
	if s.draining.Load() {
		return fmt.Errorf("the server is shutting down")
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	if _, err := s.db.Catalog().Refresh(ctx); err != nil {
		return fmt.Errorf("the store does not answer: %w", err)
	}
	return s.db.Catalog().Live(ctx)
}

// Debug answers with Go's profiles, under /debug/pprof/. Whoever reaches it sees what the
// process holds in memory, and can slow it down.
func Debug() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}
