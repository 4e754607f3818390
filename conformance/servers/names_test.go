package servers

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// TestNamesElsewhere: when DDL of one server returns, the next statement of another goes by what
// names mean then: it neither fails nor writes what was called so.
func TestNamesElsewhere(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	ctx, addr := context.Background(), emulator.Start(t)
	a, b := openMember(t, addr, memberLease), openMember(t, addr, memberLease)
	const made = " (k INT PRIMARY KEY, v INT)"
	execAll(t, a.DB, "CREATE TABLE x"+made, "CREATE TABLE y"+made, "CREATE VIEW w AS SELECT -1 AS n", "CREATE SCHEMA s")
	other, err := b.NewSession(saltsql.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for i := range seeds.Amount(12, 120) {
		changes := [][]string{
			{"DROP TABLE x", "CREATE TABLE x" + made},
			{"ALTER TABLE x RENAME TO z", "ALTER TABLE y RENAME TO x", "ALTER TABLE z RENAME TO y"},
			{"ALTER TABLE x SET SCHEMA s", "CREATE TABLE x" + made, "DROP TABLE s.x"},
			{"DROP TABLE x", "ALTER TABLE y RENAME TO x", "CREATE TABLE y" + made},
		}[i%4]
		execAll(t, a.DB, append(changes, fmt.Sprintf("CREATE OR REPLACE VIEW w AS SELECT %d AS n", i))...)
		if _, err := other.Exec(ctx, "UPSERT INTO x SELECT n, n FROM w"); err != nil {
			t.Errorf("round %d, after %v: %v", i, changes, err)
		}
		if n := number(t, a.DB, fmt.Sprintf("SELECT count(*) FROM x WHERE k = %d", i)); n != 1 {
			t.Errorf("round %d, after %v: the row is not in the table", i, changes)
		}
	}
}

// TestDropBesideReaders: statements of one server come to their ends though another drops the table,
// or the index, that they read. Its storage goes when they have.
func TestDropBesideReaders(t *testing.T) {
	seeds.Sometimes(t)
	t.Parallel()
	ctx, addr := context.Background(), emulator.Start(t)
	a, b := openMember(t, addr, memberLease), openMember(t, addr, memberLease)
	execAll(t, a.DB, "CREATE TABLE x (k INT PRIMARY KEY, v INT)", "INSERT INTO x SELECT i, i FROM generate_series(1, 3000) i",
		"CREATE TABLE y (k INT PRIMARY KEY, v INT)", "INSERT INTO y SELECT i, i FROM generate_series(1, 30) i")
	rows, err := b.Query(ctx, "SELECT k FROM x ORDER BY k")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if !rows.Next() {
		t.Fatal(rows.Err())
	}
	execAll(t, a.DB, "DROP TABLE x")
	n := 1
	for rows.Next() {
		n++
	}
	if err := rows.Err(); err != nil || n != 3000 {
		t.Errorf("%d rows of a table that is dropped meanwhile, %v", n, err)
	}
	if err := rows.Close(); err != nil {
		t.Error(err)
	}
	await(t, "the end of the storage", func() bool {
		ps, err := session.Behind(a.DB).Catalog().Check(ctx)
		return err == nil && len(ps) == 0
	})
	var readers sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if got, _, err := runOne(b.DB, "SELECT count(*) FROM y WHERE v BETWEEN 11 AND 20"); err != nil || got != "10 " {
					t.Errorf("beside CREATE and DROP INDEX: %q, %v", got, err)
					return
				}
			}
		})
	}
	for range seeds.Amount(2, 30) {
		execAll(t, a.DB, "CREATE INDEX y_v ON y (v)", "DROP INDEX y_v", "CREATE UNIQUE INDEX y_v ON y (v)", "ALTER TABLE y ADD COLUMN z INT", "DROP INDEX y_v", "ALTER TABLE y DROP COLUMN z")
	}
	close(done)
	readers.Wait()
}
