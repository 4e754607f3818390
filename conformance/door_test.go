package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/childproc"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/wire"
)

// TestWrongFlags: each is refused with a word on it, before a store is made.
func TestWrongFlags(t *testing.T) {
	path, err := harness.Build()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for args, want := range map[string]string{
		"--auth-file users":               "--auth-file is read by --auth scram and --hba-file only",
		"--auth cert":                     "--auth cert needs --tls-ca",
		"--auth scram --hba-file x":       "--hba-file says for each client",
		"--hba-file nope":                 "no such file",
		"--tls-ca x":                      "--tls-ca needs --tls-cert",
		"--auth scram --auth-file nope":   "no such file",
		"--auth md5":                      `--auth "md5" is not one of trust, scram, cert`,
		"--auth scram --trust-anyone":     "--trust-anyone goes with --auth trust",
		"--tls-key x":                     "--tls-cert and --tls-key go together",
		"--require-tls":                   "--require-tls needs --tls-cert and --tls-key",
		"--reserved-connections 3":        "--reserved-connections and --reserved-users go together",
		"--reserved-connections 100":      "--reserved-connections 100 is not from 0",
		"--drain 5":                       "a time is a number with its unit",
		"--auth-timeout 0s":               "--auth-timeout 0s is not above 0",
		"--max-unauthenticated 0":         "--max-unauthenticated 0 is not above 0",
		"--max-connections 0":             "--max-connections 0 is not above 0",
		"--bogus":                         "flag provided but not defined: --bogus\nsaltsql serve --help lists the flags.",
		"extra":                           `unexpected argument "extra"`,
		"--log-level loud":                `--log-level "loud" is not one of`,
		"--store foo:bar":                 `store "foo:bar" is not one of`,
		"--store mem: --listen 5433":      `--listen "5433": missing port in address`,
		"--store mem: --listen 0.0.0.0:0": "--auth trust on",
	} {
		cmd := childproc.Command(path, append([]string{"serve"}, strings.Fields(args)...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, %s", args, err, out)
		}
		if n := strings.Count(string(out), "\n"); n > 3 {
			t.Errorf("%s: %d lines", args, n)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%s was made", left[0].Name())
	}
}

// TestRolePasswords: a server that asks for passwords lets in by those of roles; the first start
// makes one, for the bootstrap role.
func TestRolePasswords(t *testing.T) {
	seeds.Sometimes(t)
	ctx := context.Background()
	t.Setenv("SALTSQL_PASSWORD", "it's first")
	hba := filepath.Join(t.TempDir(), "hba")
	if err := os.WriteFile(hba, []byte("host all barred all reject\nhost all +open all trust\nhost all all 127.0.0.0/8 scram-sha-256\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	p := harness.Start(t, "pebble:"+dir, "--auth", "scram")
	try := func(user, password string) (*pgx.Conn, error) {
		config, err := pgx.ParseConfig(fmt.Sprintf("host=%s port=%d user=%s dbname=d sslmode=disable", p.Host, p.Port, user))
		if err != nil {
			t.Fatal(err)
		}
		config.Password = password
		c, err := pgx.ConnectConfig(ctx, config)
		if err == nil {
			t.Cleanup(func() { c.Close(ctx) })
		}
		return c, err
	}
	boss, err := try("saltsql", "it's first")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"CREATE ROLE open", "CREATE ROLE alice LOGIN PASSWORD 'a'", "CREATE ROLE bob LOGIN IN ROLE open", "CREATE ROLE barred LOGIN PASSWORD 'b'",
		"CREATE ROLE past LOGIN PASSWORD 'p' VALID UNTIL '2001-01-01'", "CREATE ROLE group1 PASSWORD 'g'", "CREATE ROLE one LOGIN PASSWORD 'o' CONNECTION LIMIT 1"} {
		if _, err := boss.Exec(ctx, text); err != nil {
			t.Fatal(text, err)
		}
	}
	check := func(user, password, want string) {
		t.Helper()
		start := time.Now()
		_, err := try(user, password)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v; want %q", user, err, want)
		}
		if strings.Contains(want, "password authentication") && time.Since(start) < time.Second/2 {
			t.Errorf("%s fails within %v", user, time.Since(start))
		}
	}
	check("alice", "a", "")
	check("alice", "wrong", `password authentication failed for user "alice"`)
	check("nobody", "wrong", `password authentication failed for user "nobody"`)
	check("bob", "", `password authentication failed for user "bob"`)
	check("past", "p", `password authentication failed for user "past"`)
	check("group1", "g", `role "group1" is not permitted to log in`)
	check("one", "o", "")
	check("one", "o", `too many connections for role "one"`)
	p.Stop(t)
	p = harness.Start(t, "pebble:"+dir, "--hba-file", hba)
	check("saltsql", "it's first", "") // not made anew
	check("alice", "wrong", `password authentication failed for user "alice"`)
	check("barred", "b", `pg_hba.conf rejects connection for host "127.0.0.1", user "barred", database "d", no encryption`)
	check("bob", "", "")
}

func writeUsers(t *testing.T, path, password string) {
	v, err := wire.NewVerifier(password, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("u:"+v.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestHangup: SIGHUP reads the users anew, also where they cannot be read, and ends
// nothing. The log says what happened, in whole JSON values.
func TestHangup(t *testing.T) {
	seeds.Sometimes(t)
	ctx := context.Background()
	users := filepath.Join(t.TempDir(), "users")
	writeUsers(t, users, "one")
	p := harness.Start(t, "mem:", "--auth", "scram", "--auth-file", users, "--log-format", "json", "--log-level", "debug")
	try := func(password string) (*pgx.Conn, error) {
		c, err := pgx.Connect(ctx, fmt.Sprintf("host=%s port=%d user=u password=%s dbname=d sslmode=disable", p.Host, p.Port, password))
		if err == nil {
			t.Cleanup(func() { c.Close(ctx) })
		}
		return c, err
	}
	old, err := try("one")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.Exec(ctx, "SELECT nope"); err == nil {
		t.Error("nope exists")
	}
	hangup := func() {
		if err := p.Cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	writeUsers(t, users, "two")
	hangup()
	for range 200 {
		if _, err = try("two"); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		t.Fatal("with the new password:", err)
	}
	if _, err := try("one"); err == nil {
		t.Error("the old password still counts")
	}
	if err := os.Remove(users); err != nil {
		t.Fatal(err)
	}
	hangup()
	if _, err := old.Exec(ctx, "SELECT 1"); err != nil {
		t.Error(err)
	}
	if _, err := try("two"); err != nil {
		t.Error(err)
	}
	old.Close(ctx)
	p.Stop(t)
	for _, line := range strings.Split(strings.TrimSpace(p.Log.String()), "\n") {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		for name, v := range record {
			if m, ok := v.(map[string]any); ok && len(m) == 0 {
				t.Errorf("%s is empty in %s", name, line)
			}
		}
	}
	for _, want := range []string{`"msg":"listening","address":"127.0.0.1:`, `"msg":"users and certificate are reloaded"`, `"sqlstate":"42703"`} {
		if !strings.Contains(p.Log.String(), want) {
			t.Errorf("no %s in the log:\n%s", want, p.Log)
		}
	}
}

// TestSecondSignal: the first TERM waits for what runs, the second does not.
func TestSecondSignal(t *testing.T) {
	ctx := context.Background()
	p := harness.Start(t, "mem:", "--drain", "10m")
	c := p.Connect(t)
	ended := make(chan error, 1)
	harness.MustExec(t, c, "CREATE TABLE t (a INT PRIMARY KEY)")
	harness.MustExec(t, c, "BEGIN") // is waited for
	go func() { ended <- p.Wait() }()
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for range 200 { // until it takes no more
		other, err := pgx.Connect(ctx, fmt.Sprintf("host=%s port=%d user=u dbname=d sslmode=disable", p.Host, p.Port))
		if err != nil {
			break
		}
		other.Close(ctx)
		time.Sleep(10 * time.Millisecond)
	}
	harness.MustExec(t, c, "INSERT INTO t VALUES (1)")
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(p.Log.String(), "ended at once") {
			t.Errorf("%v\n%s", err, p.Log)
		}
	case <-time.After(harness.Patience):
		t.Error("it goes on")
	}
}
