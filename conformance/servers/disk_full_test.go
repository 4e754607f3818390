package servers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/childproc"
)

// smallDisk mounts a file system of megabytes, and gives its folder.
func smallDisk(t *testing.T, megabytes int) string {
	t.Helper()
	dir := t.TempDir()
	if err := mountSmall(t, dir, megabytes); err != nil {
		t.Skip(err)
	}
	return dir
}

func mountSmall(t *testing.T, dir string, megabytes int) error {
	if os.Getuid() != 0 {
		return errors.New("mounting a small disk needs root")
	}
	if out, err := childproc.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dm", megabytes), "tmpfs", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("a small disk cannot be mounted here: %v %s", err, out)
	}
	t.Cleanup(func() { _ = childproc.Command("umount", "-l", dir).Run() })
	return nil
}

// fill writes rows of 100 kB until one is refused.
func fill(t *testing.T, c *pgx.Conn, from int) (rows int, err error) {
	t.Helper()
	for k := from; k < from+2000; k++ {
		ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
		defer cancel()
		if _, err := c.Exec(ctx, "INSERT INTO t SELECT $1::int, string_agg(md5(i::text), '') FROM generate_series($1 * 7, $1 * 7 + 3000) i", k); err != nil {
			return k - from, err
		}
	}
	t.Fatal("the disk does not fill")
	return 0, nil
}

func countRows(t *testing.T, c *pgx.Conn) (n int) {
	t.Helper()
	if err := c.QueryRow(context.Background(), "SELECT count(*)::int FROM t").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestFullDisk fills a disk up to the reserve: writes are 53100, reads and what
// frees space go on, and writes work again, in the same process.
func TestFullDisk(t *testing.T) {
	disk := smallDisk(t, 160)
	p := harness.Start(t, "pebble:"+filepath.Join(disk, "store"), "--reserve", "80MB", "--memory", "256MB")
	c := p.Connect(t)
	defer c.Close(context.Background())
	harness.MustExec(t, c, "CREATE TABLE t (k int PRIMARY KEY, v varchar)")
	n, err := fill(t, c, 0)
	var pe *pgconn.PgError
	if !errors.As(err, &pe) || pe.Code != "53100" || !strings.Contains(pe.Message, disk) || pe.Hint == "" {
		t.Fatalf("after %d rows: %v", n, err)
	}
	if got := countRows(t, c); got != n {
		t.Errorf("%d rows are there, %d were acknowledged", got, n)
	}
	harness.MustExec(t, c, "DELETE FROM t WHERE k < 10")
	harness.MustExec(t, c, "TRUNCATE t")
	harness.MustExec(t, c, "DROP TABLE t")
	if out, err := childproc.Command("mount", "-o", "remount,size=400m", disk).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	harness.MustExec(t, c, "CREATE TABLE t (k int PRIMARY KEY, v varchar)")
	harness.MustExec(t, c, "INSERT INTO t VALUES (1, 'x')")
	p.Stop(t)
}

// TestFullDiskWithoutReserve meets the end in the log: the process ends with its
// status, and what it acknowledged is there when there is space.
func TestFullDiskWithoutReserve(t *testing.T) {
	disk := smallDisk(t, 40)
	store := "pebble:" + filepath.Join(disk, "store")
	// The memtables are larger than the disk, so that the log is hit before writes
	// wait for a flush.
	p := harness.Start(t, store, "--reserve", "0", "--memory", "4GB")
	c := p.Connect(t)
	harness.MustExec(t, c, "CREATE TABLE t (k int PRIMARY KEY, v varchar)")
	n, err := fill(t, c, 0)
	c.Close(context.Background())
	late := time.AfterFunc(harness.Patience, p.Kill)
	defer late.Stop()
	_ = p.Wait()
	if code := p.Cmd.ProcessState.ExitCode(); code != 74 || !strings.Contains(p.Log.String(), "no space left on device") {
		t.Fatalf("after %d rows (%v) the server ended with status %d:\n%s", n, err, code, p.Log)
	}
	if out, err := childproc.Command("mount", "-o", "remount,size=400m", disk).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	p = harness.Start(t, store, "--memory", "256MB")
	c = p.Connect(t)
	defer c.Close(context.Background())
	if got := countRows(t, c); got < n || got > n+1 {
		t.Errorf("%d rows are there, %d were acknowledged", got, n)
	}
	p.Stop(t)
}
