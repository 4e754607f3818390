package servers

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/childproc"
)

// TestUnixSocket connects by a server's Unix socket: rules of type local hold for it and no
// others, encryption is not asked for, and the socket that a killed server leaves is no obstacle.
func TestUnixSocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "s") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	rules, store := filepath.Join(dir, "rules"), "pebble:"+filepath.Join(t.TempDir(), "store")
	if err := os.WriteFile(rules, []byte("local all ann trust\nhost all bob 127.0.0.1/32 trust\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"--socket-dir", dir, "--hba-file", rules}
	p := harness.Start(t, store, args...)
	connect := func(host, user string) (*pgx.Conn, error) {
		return pgx.Connect(context.Background(), "host="+host+" port="+strconv.Itoa(p.Port)+" user="+user+" dbname=saltsql sslmode=disable")
	}
	allowed := func() {
		t.Helper()
		for _, tc := range []struct {
			host, user string
			ok         bool
		}{{dir, "ann", true}, {dir, "bob", false}, {p.Host, "ann", false}, {p.Host, "bob", true}} {
			c, err := connect(tc.host, tc.user)
			if (err == nil) != tc.ok {
				t.Errorf("%s by %s: %v", tc.user, tc.host, err)
			}
			if err != nil {
				continue
			}
			var local bool
			if err := c.QueryRow(context.Background(), "SELECT inet_client_addr() IS NULL").Scan(&local); err != nil || local != (tc.host == dir) {
				t.Errorf("by %s there is no address: %v, %v", tc.host, local, err)
			}
			c.Close(context.Background())
		}
	}
	allowed()
	if out, err := childproc.Command("psql", "-X", "-h", dir, "-p", strconv.Itoa(p.Port), "-U", "ann", "-Atc", "SELECT 1", "saltsql").CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "1" {
		t.Errorf("psql: %v: %s", err, out)
	}
	port := strconv.Itoa(p.Port)
	p.Kill()
	again, err := harness.Build()
	if err != nil {
		t.Fatal(err)
	}
	p = harness.StartCommand(t, again, append([]string{"serve", "--store", store, "--listen", "127.0.0.1:" + port, "--log-level", "warn"}, args...)...)
	allowed()
	p.Stop(t)
	if left, _ := filepath.Glob(filepath.Join(dir, ".s.*")); len(left) > 0 {
		t.Errorf("a server that has ended leaves %v", left)
	}
}

// TestSocketsHandedOver has two servers of one socket, one after the other, as a service manager
// has them: who connects while there is none waits, and is answered by the next.
func TestSocketsHandedOver(t *testing.T) {
	path, err := harness.Build()
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	file, err := ln.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	store := "pebble:" + filepath.Join(t.TempDir(), "store")
	start := func() *harness.Process {
		t.Helper()
		// The process is the one that LISTEN_PID names only once it runs.
		cmd := childproc.Command("/bin/sh", append([]string{"-c", `LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"`, "sh", path}, harness.ServeArgs(store)...)...)
		cmd.ExtraFiles = []*os.File{file}
		p, err := harness.RunCommand(t, &harness.ProcessLog{}, cmd)
		if err != nil {
			t.Fatal(err)
		}
		if want := ln.Addr().(*net.TCPAddr).Port; p.Port != want {
			t.Fatalf("it serves on port %d, not on the socket's %d", p.Port, want)
		}
		return p
	}
	p := start()
	harness.MustExec(t, p.Connect(t), "CREATE TABLE t (a INT PRIMARY KEY)")
	p.Stop(t)
	type result struct {
		c   *pgx.Conn
		err error
	}
	waits := make(chan result, 1)
	go func() {
		c, err := pgx.Connect(context.Background(), "postgres://saltsql@"+ln.Addr().String()+"/saltsql?sslmode=disable")
		waits <- result{c, err}
	}()
	p = start()
	r := <-waits
	if r.err != nil {
		t.Fatal(r.err)
	}
	harness.MustExec(t, r.c, "INSERT INTO t VALUES (1)")
	r.c.Close(context.Background())
	p.Stop(t)
}
