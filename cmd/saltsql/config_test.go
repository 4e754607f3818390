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
	}
}

// TestHelp holds that each flag of each command says what its value is, with its unit where it has
// one, and where else it can be set.
func TestHelp(t *testing.T) {
	for _, cmd := range []string{"serve", "demo", "backup", "restore", "verify", "check", "push", "export", "import", "doctor", "config", "upgrade"} {
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
		if arg == "value" || arg == "string" || arg == "duration" || arg == "int" {
			t.Errorf("--%s does not say what its value is", f.Name)
		}
		if arg == "time" && !strings.Contains(doc, "as ") && !strings.Contains(doc, "up to") {
			t.Errorf("--%s shows no time: %s", f.Name, doc)
		}
	})
}
