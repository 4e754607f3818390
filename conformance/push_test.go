package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// TestPush pushes tables of every salt from a folder to Bigtable and back, kills the pushes on
// the way, and asks the same of all three.
func TestPush(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	t.Setenv("BIGTABLE_EMULATOR_HOST", emulator.Start(t))
	binary, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	first, far, back := "pebble:"+filepath.Join(root, "first"), "bigtable://test/test", "pebble:"+filepath.Join(root, "back")
	p := startProcess(t, first)
	c := p.connect(t)
	for _, salt := range salts {
		mustExec(t, c, fmt.Sprintf("CREATE TABLE t%d (id INT, s VARCHAR, d DECIMAL, ts TIMESTAMP, f.j JSONB, PRIMARY KEY (id, s DESC)) SALT_BUCKETS = %d", salt, salt))
		mustExec(t, c, fmt.Sprintf(`INSERT INTO t%d SELECT i, 's' || i %% 7, i / 3.0, TIMESTAMP '2024-01-01' + i * INTERVAL '1 minute', jsonb_build_object('i', i) FROM generate_series(1, 2500) i`, salt))
	}
	mustExec(t, c, "CREATE SEQUENCE q")
	mustExec(t, c, "SELECT nextval('q') FROM generate_series(1, 10)")
	ask := func(p *process) (out string) {
		c := p.connect(t)
		for _, salt := range salts {
			var row string
			if err := c.QueryRow(context.Background(), fmt.Sprintf("SELECT concat_ws(' ', count(*), sum(id), min(s), max(d), max(ts), sum((j->>'i')::int)) FROM t%d", salt)).Scan(&row); err != nil {
				t.Fatal(err)
			}
			out += row + "\n"
		}
		return out
	}
	want := ask(p)
	if out, status := command(t, "push", "--from", first, "--to", far); status != 1 || !strings.Contains(out, "in use by another store") {
		t.Errorf("a push of a store that is open: %d, %s", status, out)
	}
	p.stop(t)
	rng := rand.New(rand.NewPCG(5, 6))
	for _, way := range []struct{ from, to string }{{first, far}, {far, back}} {
		killed := 0
		for range 6 {
			cmd := exec.Command(binary, "push", "--from", way.from, "--to", way.to)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(100+rng.IntN(700)) * time.Millisecond)
			_ = cmd.Process.Kill()
			if cmd.Wait() == nil {
				break
			}
			killed++
		}
		out, status := command(t, "push", "--from", way.from, "--to", way.to)
		if status != 0 && !strings.Contains(out, "has a catalog already") {
			t.Fatalf("after %d kills: %s", killed, out)
		}
		t.Logf("%s to %s, killed %d times: %s", way.from, way.to, killed, out)
		mustCommand(t, "check", "--store", way.to)
		p := startProcess(t, way.to)
		if got := ask(p); got != want {
			t.Errorf("%s answers\n%s, not\n%s", way.to, got, want)
		}
		var next int
		if err := p.connect(t).QueryRow(context.Background(), "SELECT nextval('q')").Scan(&next); err != nil || next <= 10 {
			t.Errorf("the next value of a sequence that gave 10 is %d: %v", next, err)
		}
		p.stop(t)
	}
}
