package servers

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/childproc"
	"github.com/saltsql/saltsql/internal/seeds"
)

// backupWriters move money between accounts, and with each transfer insert a row that tells
// what had been acknowledged, to anyone, before it began. A copy of one moment has all of
// that for each row that it has.
type backupWriters struct {
	mu    sync.Mutex
	acked []transfer // in the order of acknowledgement
	begun atomic.Int64
}

type transfer struct{ w, n int }

const (
	backupClients  = 16
	backupAccounts = 40
)

func (b *backupWriters) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.acked)
}

func (b *backupWriters) run(ctx context.Context, dsn string, w int, first int) {
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return
	}
	defer c.Close(context.Background())
	rng := rand.New(rand.NewPCG(uint64(w), uint64(first)))
	for n := first; ; n++ {
		after := b.count()
		from := rng.IntN(backupAccounts - 1)
		to := from + 1 + rng.IntN(backupAccounts-from-1) // one order of locks
		b.begun.Add(1)
		err := pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			for _, q := range []struct{ k, by int }{{from, -1}, {to, 1}} {
				if _, err := tx.Exec(ctx, "UPDATE bank SET v = v + $1 WHERE k = $2", q.by, q.k); err != nil {
					return err
				}
			}
			_, err := tx.Exec(ctx, "INSERT INTO done VALUES ($1, $2, $3)", w, n, after)
			return err
		})
		if err != nil {
			return
		}
		b.mu.Lock()
		b.acked = append(b.acked, transfer{w, n})
		b.mu.Unlock()
	}
}

// check holds a restored store against what clients were told: least is how much was
// acknowledged when the backup began, most how much had begun when it ended.
func (b *backupWriters) check(t *testing.T, c *pgx.Conn, least, most int) {
	t.Helper()
	ctx := context.Background()
	var sum, rows, after int
	if err := c.QueryRow(ctx, "SELECT (SELECT sum(v) FROM bank)::int, count(*)::int, coalesce(max(after), 0)::int FROM done").Scan(&sum, &rows, &after); err != nil {
		t.Fatal(err)
	}
	if sum != backupAccounts*100 {
		t.Errorf("the accounts hold %d, not %d", sum, backupAccounts*100)
	}
	if rows < least || rows > most {
		t.Errorf("%d transfers are there; %d were acknowledged before the backup, %d begun before its end", rows, least, most)
	}
	list, err := c.Query(ctx, "SELECT w, n FROM done")
	if err != nil {
		t.Fatal(err)
	}
	have := map[transfer]bool{}
	var x transfer
	if _, err := pgx.ForEachRow(list, []any{&x.w, &x.n}, func() error { have[x] = true; return nil }); err != nil {
		t.Fatal(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, x := range b.acked[:max(after, least)] {
		if !have[x] {
			t.Fatalf("transfer %d of client %d is missing, the %dth acknowledged; one is there that began after %d were", x.n, x.w, i+1, after)
		}
	}
}

var backupRounds = flag.Int("backup.rounds", seeds.Amount(3, 9), "how many backups TestBackup makes and restores; the promise is 50")

// TestBackup backs up a store that 16 clients write to, again and again, while both sides are
// killed now and then: what the next backup gives is one moment, and verify finds nothing.
func TestBackup(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	binary, err := harness.Build()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	root := t.TempDir()
	store, dir := "pebble:"+filepath.Join(root, "store"), filepath.Join(root, "backups")
	rng := rand.New(rand.NewPCG(7, 7))
	b := &backupWriters{}
	p := harness.Start(t, store)
	c := p.Connect(t)
	harness.MustExec(t, c, "CREATE TABLE bank (k INT PRIMARY KEY, v INT NOT NULL) SALT_BUCKETS = 8")
	harness.MustExec(t, c, "CREATE TABLE done (w INT, n INT, after INT NOT NULL, PRIMARY KEY (w, n)) SALT_BUCKETS = 4")
	harness.MustExec(t, c, fmt.Sprintf("INSERT INTO bank SELECT i, 100 FROM generate_series(0, %d) i", backupAccounts-1))
	first := 0
	for round := range *backupRounds {
		var wg sync.WaitGroup
		writing, stop := context.WithCancel(ctx)
		dsn := fmt.Sprintf("host=%s port=%d user=tester dbname=saltsql sslmode=disable", p.Host, p.Port)
		for w := range backupClients {
			wg.Go(func() { b.run(writing, dsn, w, first) })
		}
		time.Sleep(100 * time.Millisecond)
		var kill string
		switch round % 3 {
		case 1: // of the backup
			kill = "backup"
			cmd := childproc.Command(binary, "backup", "--store", store, dir)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(rng.IntN(150)) * time.Millisecond)
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		case 2: // of the server
			kill = "server"
			cmd := childproc.Command(binary, "backup", "--store", store, dir)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(rng.IntN(150)) * time.Millisecond)
			p.Kill()
			_ = cmd.Wait() // done or failed: the next one must do
			p = harness.Start(t, store)
		}
		least := b.count()
		out := harness.MustCommand(t, "backup", "--store", store, dir)
		most := int(b.begun.Load())
		stop()
		wg.Wait()
		first += 1 << 20
		out += harness.MustCommand(t, "verify", dir)
		target := "pebble:" + filepath.Join(root, "restored", strconv.Itoa(round))
		harness.MustCommand(t, "restore", "--store", target, dir)
		r := harness.Start(t, target)
		b.check(t, r.Connect(t), least, most)
		r.Stop(t)
		t.Logf("round %d, killed %q: %d to %d transfers\n%s", round, kill, least, most, out)
	}
	if n, err := os.ReadDir(filepath.Join(root, "store", "checkpoints")); err != nil || len(n) > 0 {
		t.Errorf("%d checkpoints are left in the store: %v", len(n), err)
	}
	harness.MustCommand(t, "backup", "--store", store, "--keep", "1", dir)
	p.Stop(t)
	if out := harness.MustCommand(t, "check", "--store", store); !strings.Contains(out, "2 tables") {
		t.Errorf("check says %s", out)
	}
	harness.MustCommand(t, "backup", "--store", store, dir) // of a folder that no server has open
	harness.MustCommand(t, "verify", dir)
}

// TestBackupRefused tells in one line what to do instead.
func TestBackupRefused(t *testing.T) {
	root := t.TempDir()
	store := "pebble:" + filepath.Join(root, "store")
	p := harness.Start(t, store)
	p.Stop(t)
	link := filepath.Join(root, "link")
	if err := os.Symlink(filepath.Join(root, "store"), link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"backup", "--store", store, link}, 1, "lies in the store's own"},
		{[]string{"backup", "--store", store, filepath.Join(link, "new", "b")}, 1, "lies in the store's own"},
		{[]string{"backup", "--store", "bigtable://p/i", filepath.Join(root, "b")}, 2, "the service keeps backups, in --cluster"},
		{[]string{"backup", "--store", "bigtable://p/i"}, 1, "--cluster is needed"},
		{[]string{"restore", "--store", store, "--cluster", "c", "bigtable://p/i"}, 1, "is restored into Bigtable"},
		{[]string{"backup", "--store", store, filepath.Join(root, "store", "b")}, 1, "lies in the store's own"},
		{[]string{"backup", "--store", "pebble:" + filepath.Join(root, "nothing"), filepath.Join(root, "b")}, 1, "no such file"},
		{[]string{"backup", "--store", store}, 2, "it takes DIR"},
		{[]string{"backup", "--store", store, "a", "b"}, 2, `unexpected argument "b"`},
		{[]string{"verify", filepath.Join(root, "nothing")}, 2, "no such file"},
		{[]string{"verify", root}, 2, "there is no backup"},
		{[]string{"restore", "--store", store, root}, 1, "there is no backup"},
		{[]string{"check", "--store", "pebble:" + filepath.Join(root, "nothing")}, 2, "cannot open the store"},
		{[]string{"check", "--store", "mem:"}, 2, "is not pebble:DIR"},
	} {
		out, status := harness.Command(t, c.args...)
		if status != c.status || !strings.Contains(out, c.says) {
			t.Errorf("saltsql %s: status %d and %q, want %d and %q", strings.Join(c.args, " "), status, out, c.status, c.says)
		}
	}
	harness.MustCommand(t, "backup", "--store", store, filepath.Join(root, "b"))
	if out, status := harness.Command(t, "restore", "--store", store, filepath.Join(root, "b")); status != 1 || !strings.Contains(out, "is not empty") {
		t.Errorf("a restore over a store: %d, %s", status, out)
	}
	rng := rand.New(rand.NewPCG(3, 9))
	flipped := 0
	err := filepath.WalkDir(filepath.Join(root, "b"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		was, err := os.ReadFile(path)
		if err != nil || len(was) == 0 {
			return err
		}
		flipped++
		b := bytes.Clone(was)
		b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			return err
		}
		if out, status := harness.Command(t, "verify", filepath.Join(root, "b")); status == 0 {
			t.Errorf("%s has another byte: status %d, %s", path, status, out)
		}
		return os.WriteFile(path, was, 0o600)
	})
	if err != nil || flipped < 4 {
		t.Errorf("%d files were changed: %v", flipped, err)
	}
	harness.MustCommand(t, "verify", filepath.Join(root, "b"))
}
