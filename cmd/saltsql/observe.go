package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/internal/metrics"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/settings"
	"github.com/saltsql/saltsql/storage"
)

// observeFlags defines the flags by which a server is watched and bounded.
func observeFlags(fs *flag.FlagSet, c *serveConfig) {
	fs.StringVar(&c.cache, "cache", "", "`SIZE` of an embedded store's block cache, as 1GB (default an eighth of --memory up to 256MB; where it is more, a quarter of --memory less 256MB)")
	fs.StringVar(&c.tempDir, "temp-dir", "", "`FOLDER` for what sorts and hashes write to disk (default the system's)")
	fs.StringVar(&c.metrics, "metrics", "", "`HOST:PORT` that answers /metrics, /healthz and /readyz over HTTP, to anyone who reaches it (default none)")
	fs.StringVar(&c.debug, "debug", "", "loopback `HOST:PORT` that answers /debug/pprof/ over HTTP (default none)")
	fs.StringVar(&c.console, "console", "", "`HOST:PORT` that answers browsers, as 127.0.0.1:8433: tables, statements, sessions, SQL to read. On loopback, or with passwords and TLS (default none)")
	fs.StringVar(&c.traces, "traces", "", "`URL` of what takes OpenTelemetry's traces by OTLP over gRPC, as http://127.0.0.1:4317, or https:// (default none)")
	fs.Float64Var(&c.traceShare, "trace-share", 0.01, "`SHARE` of the statements to trace, from 0 to 1; one with a traceparent in a comment is traced where that says so")
	fs.IntVar(&c.statements, "statements", 5000, "`NUMBER` of shapes of statements that pg_stat_statements holds, in up to 16 MB; 0 counts nothing")
	fs.StringVar(&c.heatMemory, "heat-memory", "64MB", "`SIZE` that the counters of saltsql.bucket_skew and saltsql.heatmap may take, as 64MB; 0MB counts nothing")
}

// heatBytes reads --heat-memory for saltsql.Options.
func heatBytes(text string) (int64, error) {
	n, err := parseSize(text)
	if err != nil {
		return 0, fmt.Errorf("--heat-memory %q: %w", text, err)
	}
	if n == 0 {
		n = -1
	}
	return n, nil
}

// parameters are the run-time parameters whose defaults a server may set, by flags of their names.
var parameters = []struct{ name, doc string }{
	{"statement_timeout", "`DURATION` that a statement may take, as 500ms, 30s or 5min; 0 is any"},
	{"lock_timeout", "`DURATION` that a statement may wait for what another transaction holds, as 500ms, 30s or 5min; 0 is any"},
	{"idle_session_timeout", "`DURATION` that a client may do nothing, as 30s, 5min or 1h; 0 is any"},
	{"idle_in_transaction_session_timeout", "`DURATION` that a client may do nothing within a transaction, as 30s, 5min or 1h; 0 is any"},
	{"log_min_duration_statement", "log statements that take this `DURATION` or longer, as 250ms or 2s, without their constants; 0 logs all, -1 none"},
	{"work_mem", "`SIZE` that one statement's sorts and hashes may have before they go to disk, as 64MB"},
}

func parameterFlags(fs *flag.FlagSet, c *serveConfig) {
	c.parameters = map[string]string{}
	for _, p := range parameters {
		def := settings.Find(p.name)
		who := "SET changes it"
		if def.Superuser {
			who = "superusers SET it"
		}
		fs.Var(parameterFlag{def, c.parameters}, strings.ReplaceAll(p.name, "_", "-"), p.doc+". What sessions begin with; "+who)
	}
}

// parameterFlag is a run-time parameter's default.
type parameterFlag struct {
	def *settings.Parameter
	to  map[string]string
}

func (p parameterFlag) String() string {
	if p.def == nil { // the flag package asks a zero value
		return ""
	}
	if v, ok := p.to[p.def.Name]; ok {
		return v
	}
	return p.def.Default
}

func (p parameterFlag) Set(text string) error {
	v, err := p.def.Check(p.def.Name, text)
	if err != nil { // as the other flags are written, 5m or 64mb
		if d, bad := parseTime(text); p.def.Unit == "ms" && bad == nil {
			v, err = p.def.Check(p.def.Name, fmt.Sprintf("%dms", d.Milliseconds()))
		}
		if n, bad := parseSize(text); p.def.Unit == "kB" && bad == nil {
			v, err = p.def.Check(p.def.Name, fmt.Sprintf("%dB", n))
		}
	}
	if err != nil {
		return errors.New(strings.ReplaceAll(describe(err), "\n  hint:", ":"))
	}
	p.to[p.def.Name] = v
	return nil
}

func (c serveConfig) checkObserve() error {
	if c.statements < 0 {
		return fmt.Errorf("--statements %d is below 0", c.statements)
	}
	if c.traceShare < 0 || c.traceShare > 1 {
		return fmt.Errorf("--trace-share %v is not from 0 to 1", c.traceShare)
	}
	if u, err := url.Parse(c.traces); c.traces != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return fmt.Errorf("--traces %q is not a URL as http://127.0.0.1:4317 is", c.traces)
	}
	if c.tempDir != "" {
		if info, err := os.Stat(c.tempDir); err != nil || !info.IsDir() {
			return fmt.Errorf("--temp-dir %q is no folder", c.tempDir)
		}
	}
	for flag, addr := range map[string]string{"metrics": c.metrics, "debug": c.debug} {
		if addr == "" {
			continue
		}
		if err := checkAddress(flag, addr); err != nil {
			return err
		}
	}
	if err := c.checkConsole(); err != nil {
		return err
	}
	if c.debug != "" && !onLoopback(c.debug) {
		return fmt.Errorf("--debug %q is not on loopback, as 127.0.0.1:6060 is: whoever reaches it sees what the server holds in memory", c.debug)
	}
	return nil
}

// checkAddress says what is wrong with what flag is to listen on.
func checkAddress(flag, addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	var form *net.AddrError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &form):
		return fmt.Errorf("--%s %q: %s: it is HOST:PORT, as 127.0.0.1:5433, or :5433 for all of this machine's addresses", flag, addr, form.Err)
	}
	return fmt.Errorf("--%s %q: %w", flag, addr, err)
}

func onLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// observe serves the addresses of --metrics and --debug until stop is called, which it sets
// c.stopping for.
func (c *serveConfig) observe(db *saltsql.DB, store storage.Store, log *slog.Logger) (stop func(), err error) {
	var servers []*http.Server
	stop = func() {
		for _, s := range servers {
			_ = s.Close()
		}
	}
	start := func(flag, addr string, h http.Handler) error {
		ln, err := net.Listen("tcp", addr)
		if err != nil {
			return fmt.Errorf("--%s %q: %w", flag, addr, err)
		}
		s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return context.Background() }}
		servers = append(servers, s)
		log.Info("listening", flag, ln.Addr().String())
		go func() {
			if err := guard.Run(func() error { return s.Serve(ln) }); !errors.Is(err, http.ErrServerClosed) {
				log.Error("an address is not served any more", flag, addr, "error", err)
			}
		}()
		return nil
	}
	if c.metrics != "" {
		m := metrics.New(session.Behind(db), store, version())
		c.stopping = m.Drain
		err = start("metrics", c.metrics, m)
	}
	if c.debug != "" && err == nil {
		err = start("debug", c.debug, metrics.Debug())
	}
	if err != nil {
		stop()
	}
	return stop, err
}
