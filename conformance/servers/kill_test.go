package servers

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
)

// TestKill kills the server during single-row INSERTs and a COPY. Every
// acknowledged row must be there, each row whole, COPY all or nothing.
func TestKill(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	dir := filepath.Join(t.TempDir(), "store")
	acked := map[int]bool{}
	next, copies := 0, 0
	for round := range rounds {
		p := harness.Start(t, "pebble:"+dir)
		c := p.Connect(t)
		if round == 0 {
			harness.MustExec(t, c, "CREATE TABLE k (id INT, a INT NOT NULL, b VARCHAR NOT NULL, PRIMARY KEY (id)) SALT_BUCKETS = 8")
			harness.MustExec(t, c, "CREATE TABLE kc (batch INT, id INT, v VARCHAR NOT NULL, PRIMARY KEY (batch, id)) SALT_BUCKETS = 8")
		}
		checkKilled(t, c, acked)
		var wg sync.WaitGroup
		copyAcked := make(chan bool, 1)
		wg.Add(1)
		go func() {
			defer wg.Done()
			copyAcked <- copyBatch(p, copies, 20_000)
		}()
		timer := time.AfterFunc(time.Duration(50+37*round)*time.Millisecond, p.Kill)
		for {
			if _, err := c.Exec(context.Background(), "INSERT INTO k VALUES ($1, $2, $3)", next, next*2, strconv.Itoa(next)); err != nil {
				next++ // its outcome is not known
				break
			}
			acked[next] = true
			next++
		}
		wg.Wait()
		timer.Stop()
		p.Kill()
		c.Close(context.Background())
		copies = checkCopies(t, dir, copies, <-copyAcked)
	}
	t.Logf("%d rounds, %d acknowledged rows, %d COPY batches", rounds, len(acked), copies)
	p := harness.Start(t, "pebble:"+dir)
	checkKilled(t, p.Connect(t), acked)
	p.Stop(t)
}

func copyBatch(p *harness.Process, batch, rows int) bool {
	ctx := context.Background()
	c, err := pgx.Connect(ctx, fmt.Sprintf("host=%s port=%d user=tester dbname=saltsql sslmode=disable", p.Host, p.Port))
	if err != nil {
		return false
	}
	defer c.Close(ctx)
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, "%d\t%d\tv%d\n", batch, i, i)
	}
	_, err = c.PgConn().CopyFrom(ctx, strings.NewReader(b.String()), "COPY kc FROM STDIN")
	return err == nil
}

// checkKilled reads k after a restart: acknowledged rows are there, no row is half.
func checkKilled(t *testing.T, c *pgx.Conn, acked map[int]bool) {
	t.Helper()
	rows, err := c.Query(context.Background(), "SELECT id, a, b FROM k ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for rows.Next() {
		var id, a int
		var b string
		if err := rows.Scan(&id, &a, &b); err != nil {
			t.Fatal(err)
		}
		if a != id*2 || b != strconv.Itoa(id) {
			t.Fatalf("row %d is half: a=%d b=%q", id, a, b)
		}
		seen[id] = true
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for id := range acked {
		if !seen[id] {
			t.Fatalf("acknowledged row %d is lost", id)
		}
	}
}

// checkCopies restarts the server and gives the next batch's number.
func checkCopies(t *testing.T, dir string, batch int, acked bool) int {
	p := harness.Start(t, "pebble:"+dir)
	defer p.Kill()
	var n int
	if err := p.Connect(t).QueryRow(context.Background(), "SELECT count(*) FROM kc WHERE batch = $1", batch).Scan(&n); err != nil {
		t.Fatal(err)
	}
	switch {
	case n != 0 && n != 20_000:
		t.Fatalf("batch %d has %d rows: COPY is all or nothing", batch, n)
	case n == 0 && acked:
		t.Fatalf("acknowledged batch %d is lost", batch)
	case n == 0:
		return batch
	}
	return batch + 1
}

// TestSecondServer wants a clear refusal for a second process on one folder.
func TestSecondServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	p := harness.Start(t, "pebble:"+dir)
	if _, err := harness.TryStart(t, "pebble:"+dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a second server on the folder: %v", err)
	}
	harness.MustExec(t, p.Connect(t), "SELECT 1")
	p.Stop(t)
}
