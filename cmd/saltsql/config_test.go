package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/settings"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "saltsql.conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestConfigSources holds that a flag wins over the environment, and that over the file.
func TestConfigSources(t *testing.T) {
	path := write(t, `
# a comment
listen = 127.0.0.1:7000   # and one more
max_connections = 7
drain = "5s"  # quoted
statement-timeout = 1min
log_level = warn
metrics = 127.0.0.1:9000
`)
	t.Setenv("SALTSQL_DRAIN", "6s")
	t.Setenv("SALTSQL_LISTEN", "127.0.0.1:7001")
	var out bytes.Buffer
	if err := run(context.Background(), []string{"config", "--config", path, "--listen", "127.0.0.1:7002"}, &out, &out); err != nil {
		t.Fatal(err, out.String())
	}
	lines := map[string]string{}
	for line := range strings.Lines(out.String()) {
		name, rest, _ := strings.Cut(line, "=")
		lines[strings.TrimSpace(name)] = strings.Join(strings.Fields(rest), " ")
	}
	for name, want := range map[string]string{
		"listen":            "127.0.0.1:7002 # flag",
		"drain":             "6s # environment, SALTSQL_DRAIN",
		"max-connections":   "7 # " + path + ":4",
		"statement-timeout": "1min # " + path + ":6",
		"log-level":         "warn # " + path + ":7",
		"lock-timeout":      "0 # default",
		"statements":        "5000 # default",
	} {
		if lines[name] != want {
			t.Errorf("%s = %s, want %s", name, lines[name], want)
		}
	}
}

// TestConfigRefused says where and why.
func TestConfigRefused(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"listn = x", `:1: "listn" is no setting`},
		{"\nlisten", ":2: a line is name = value"},
		{"memory = 4", `--memory "4": a size is a number with its unit`},
		{"memory = 1MB", "is below"},
		{"memory = 200MB\ncache = 180MB", "leaves too little"},
		{"cache = lots", `--cache "lots": a size`},
		{"reserve = 5", `--reserve "5": a size`},
		{"heat_memory = much", `--heat-memory "much": a size`},
		{"log_level = loud", `--log-level "loud" is not one of`},
		{"log_format = xml", `--log-format "xml" is not one of`},
		{"store = postgres:x", "is not one of pebble:DIR"},
		{"listen = 5433", `--listen "5433"`},
		{"metrics = here", `--metrics "here"`},
		{"lease = 1s", "a lease of 1s is outside the valid range (2s .. 10m0s)"},
		{"drain = 5", ":1: drain: a time is a number with its unit"},
		{"drain = 5s\ndrain = 6s", ":2: drain is set in line 1 already"},
		{`listen = "a" b`, ":1: a line is"},
		{"statement_timeout = soon", `:1: statement-timeout: invalid value for parameter "statement_timeout": "soon"`},
		{"debug = 0.0.0.0:1", "is not on loopback"},
		{"config = other", `"config" is no setting`},
		{"temp-dir = /nowhere/at/all", "is no folder"},
	} {
		var out bytes.Buffer
		err := run(context.Background(), []string{"config", "--config", write(t, c.text)}, &out, &out)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want %q", c.text, err, c.says)
		}
		if got := status(err); got != 2 {
			t.Errorf("%q: status %d, want 2", c.text, got)
		}
	}
}

// TestUnits holds that times and sizes are written alike in all flags: as Go writes them, or as
// PostgreSQL does.
func TestUnits(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"500ms": 500 * time.Millisecond, "30s": 30 * time.Second, "5m": 5 * time.Minute, "5min": 5 * time.Minute, "5 min": 5 * time.Minute,
		"1h": time.Hour, "1m30s": 90 * time.Second, "1d": 24 * time.Hour, "1.5s": 1500 * time.Millisecond,
	} {
		c := serveConfig{}
		fs := serveFlags(&c, &bytes.Buffer{})
		if err := errors.Join(fs.Set("drain", text), fs.Set("statement-timeout", text)); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := settings.ParseDuration(c.parameters["statement_timeout"]); err != nil || got != want || c.drain != want {
			t.Errorf("%s is %v, and as a parameter %v: %v", text, c.drain, got, err)
		}
	}
	for text, want := range map[string]int64{"64MB": 64 << 20, "64mb": 64 << 20, "64 MiB": 64 << 20, "1GB": 1 << 30, "0.5GB": 1 << 29, "100kB": 100 << 10, "100KB": 100 << 10} {
		c := serveConfig{}
		fs := serveFlags(&c, &bytes.Buffer{})
		if err := fs.Set("work-mem", text); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		n, err := parseSize(text)
		got, bad := settings.ParseBytes(c.parameters["work_mem"])
		if err != nil || bad != nil || n != want || got != want {
			t.Errorf("%s is %d, and as a parameter %d: %v, %v", text, n, got, err, bad)
		}
	}
	for _, text := range []string{"", "5", "-", "soon", "5 x", "MB", "5 m b"} {
		if _, err := parseTime(text); err == nil {
			t.Errorf("%q is a time", text)
		}
		if _, err := parseSize(text); err == nil {
			t.Errorf("%q is a size", text)
		}
	}
}

// TestHelp holds that each flag of each command says what its value is, with its unit where it has
// one, and where else it can be set.
func TestHelp(t *testing.T) {
	for _, cmd := range []string{"serve", "demo", "backup", "restore", "verify", "check", "push", "export", "import", "doctor", "heatmap", "config", "upgrade"} {
		var out bytes.Buffer
		if err := run(context.Background(), []string{cmd, "--help"}, &out, &out); !errors.Is(err, flag.ErrHelp) {
			t.Errorf("%s --help: %v", cmd, err)
		}
		if text := out.String(); !strings.Contains(text, "saltsql "+cmd) || strings.Contains(text, "--x value") {
			t.Errorf("%s --help says\n%s", cmd, text)
		}
	}
	fs := serveFlags(&serveConfig{}, &bytes.Buffer{})
	fs.VisitAll(func(f *flag.Flag) {
		arg, doc := flag.UnquoteUsage(f)
		if arg != strings.ToUpper(arg) {
			t.Errorf("--%s %s does not say what its value is", f.Name, arg)
		}
		if (arg == "DURATION" || arg == "SIZE") && !strings.Contains(doc, ", as ") {
			t.Errorf("--%s shows no value: %s", f.Name, doc)
		}
	})
}
