package conformance

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/pgtest"
)

// TestForeignDataWrapper has PostgreSQL read and edit a table of saltsql through postgres_fdw, which finds the
// rows that it edits by their ctid.
func TestForeignDataWrapper(t *testing.T) {
	dsn, why := pgtest.TryStart(t)
	if why != "" {
		t.Skip(why)
	}
	ctx := context.Background()
	pg, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Close(ctx)
	if _, err := pg.Exec(ctx, "CREATE EXTENSION postgres_fdw"); err != nil {
		t.Skipf("PostgreSQL has no postgres_fdw: %v", err)
	}
	host, port := harness.Serve(t, harness.Open(t, "pebble"))
	own := harness.Connect(t, host, port)
	for _, table := range []string{
		"CREATE TABLE far (a INT, b VARCHAR, v INT, PRIMARY KEY (a, b DESC)) SALT_BUCKETS = 16",
		"CREATE TABLE loose (a INT, b VARCHAR, v INT)",
	} {
		harness.MustExec(t, own, table)
	}
	harness.MustExec(t, pg, fmt.Sprintf("CREATE SERVER salt FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '%s', port '%d', dbname 'saltsql')", host, port))
	harness.MustExec(t, pg, "CREATE USER MAPPING FOR CURRENT_USER SERVER salt OPTIONS (user 'saltsql', password_required 'false')")
	for _, name := range []string{"far", "loose"} {
		harness.MustExec(t, own, "INSERT INTO "+name+" SELECT i, 'b' || i, i FROM generate_series(1, 2000) AS i")
		harness.MustExec(t, pg, "CREATE FOREIGN TABLE "+name+" (a INT, b VARCHAR, v INT) SERVER salt")
		harness.MustExec(t, pg, "CREATE TABLE mine_"+name+" AS SELECT * FROM "+name)
		for _, sql := range []string{
			// random() is not sent: rows are read, and edited one by one.
			"UPDATE %s SET v = v + 1000 WHERE a % 3 = 0 AND random() >= 0",
			"DELETE FROM %s WHERE a % 7 = 0 AND random() >= 0",
			"UPDATE %s SET v = 0 WHERE a = 10",
		} {
			harness.MustExec(t, pg, strings.ReplaceAll(sql, "%s", name))
			harness.MustExec(t, pg, strings.ReplaceAll(sql, "%s", "mine_"+name))
		}
		var differ, rows int
		err := pg.QueryRow(ctx, fmt.Sprintf(`SELECT count(*) FROM ((TABLE %[1]s EXCEPT ALL TABLE mine_%[1]s) UNION ALL (TABLE mine_%[1]s EXCEPT ALL TABLE %[1]s)) AS d`, name)).Scan(&differ)
		if err == nil {
			err = own.QueryRow(ctx, "SELECT count(*) FROM "+name).Scan(&rows)
		}
		if err != nil || differ != 0 || rows != 2000-2000/7 {
			t.Errorf("%s: %d rows differ of %d: %v", name, differ, rows, err)
		}
	}
}

// TestExportedSnapshots: sessions that import a snapshot read what the one that exported it reads, while others write,
// and after it is over nobody can import it.
func TestExportedSnapshots(t *testing.T) {
	for _, store := range []string{"mem", "pebble"} {
		t.Run(store, func(t *testing.T) { exportedSnapshots(t, store) })
	}
	t.Run("bigtable", func(t *testing.T) {
		host, port := harness.Serve(t, harness.Open(t, "bigtable"))
		c := harness.Connect(t, host, port)
		harness.MustExec(t, c, "BEGIN ISOLATION LEVEL REPEATABLE READ")
		if _, err := c.Exec(context.Background(), "SELECT pg_export_snapshot()"); harness.SQLState(err) != "0A000" {
			t.Fatal(err)
		}
	})
}

func exportedSnapshots(t *testing.T, store string) {
	ctx := context.Background()
	host, port := harness.Serve(t, harness.Open(t, store))
	from, to, writer := harness.Connect(t, host, port), harness.Connect(t, host, port), harness.Connect(t, host, port)
	harness.MustExec(t, writer, "CREATE TABLE seen (k INT PRIMARY KEY, v INT) SALT_BUCKETS = 4")
	harness.MustExec(t, writer, "INSERT INTO seen SELECT generate_series(1, 100)")
	count := func(c *pgx.Conn) (n int) {
		t.Helper()
		if err := c.QueryRow(ctx, "SELECT count(*) FROM seen").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	refused := func(c *pgx.Conn, sql, want string) {
		t.Helper()
		if _, err := c.Exec(ctx, sql); harness.SQLState(err) != want {
			t.Errorf("%s: %v, want %s", sql, err, want)
		}
		harness.MustExec(t, c, "ROLLBACK")
	}
	for _, level := range []string{"READ COMMITTED", "REPEATABLE READ"} {
		for _, temporary := range []bool{false, true} {
			before := count(writer)
			if temporary {
				harness.MustExec(t, from, "CREATE TEMP TABLE IF NOT EXISTS aside (k INT PRIMARY KEY)")
				harness.MustExec(t, to, "CREATE TEMP TABLE IF NOT EXISTS aside (k INT PRIMARY KEY)")
			}
			harness.MustExec(t, from, "BEGIN ISOLATION LEVEL "+level)
			var id string
			if err := from.QueryRow(ctx, "SELECT pg_export_snapshot()").Scan(&id); err != nil {
				t.Fatal(err)
			}
			harness.MustExec(t, from, "INSERT INTO seen VALUES (-1)") // not seen by others
			harness.MustExec(t, writer, fmt.Sprintf("INSERT INTO seen SELECT generate_series(%d, %d)", before+1, before+10))
			harness.MustExec(t, writer, "UPDATE seen SET v = 1 WHERE k = 1")
			harness.MustExec(t, to, "BEGIN ISOLATION LEVEL REPEATABLE READ")
			harness.MustExec(t, to, "SET TRANSACTION SNAPSHOT '"+id+"'")
			if n := count(to); n != before {
				t.Fatalf("%s: %d rows by the snapshot of %d", level, n, before)
			}
			harness.MustExec(t, from, "ROLLBACK")
			if n := count(to); n != before {
				t.Fatalf("%s: %d rows by the snapshot of %d, whose transaction is over", level, n, before)
			}
			// A row that has changed since is not written.
			refused(to, "UPDATE seen SET v = 0 WHERE k = 1", "40001")
			harness.MustExec(t, to, "BEGIN ISOLATION LEVEL REPEATABLE READ")
			refused(to, "SET TRANSACTION SNAPSHOT '"+id+"'", "22023")
			if n := count(writer); n != before+10 {
				t.Fatal(n)
			}
		}
	}
	harness.MustExec(t, to, "BEGIN ISOLATION LEVEL REPEATABLE READ")
	refused(to, "SET TRANSACTION SNAPSHOT 'x'", "22023")
	harness.MustExec(t, to, "BEGIN")
	refused(to, "SET TRANSACTION SNAPSHOT '00000003-0000001B-1'", "0A000")
	harness.MustExec(t, to, "BEGIN ISOLATION LEVEL REPEATABLE READ")
	count(to)
	refused(to, "SET TRANSACTION SNAPSHOT '00000003-0000001B-1'", "25001")
	harness.MustExec(t, from, "BEGIN")
	harness.MustExec(t, from, "SAVEPOINT s")
	refused(from, "SELECT pg_export_snapshot()", "25001")
	if _, err := from.Exec(ctx, "SELECT pg_export_snapshot()"); harness.SQLState(err) != "25P01" {
		t.Error(err)
	}
}

// TestBlocksAreParts reads tables by ranges of ctid, as DuckDB cuts them by relpages: each bucket is read once, in one
// range, and the rows are those of the table.
func TestBlocksAreParts(t *testing.T) {
	ctx := context.Background()
	for _, salt := range harness.Salts {
		v := variant{"pebble", salt, false}
		db := v.open(t)
		c, err := engine{v, db}.Open(ctx)
		if err != nil {
			t.Fatal(err)
		}
		must(ctx, t, c, fmt.Sprintf("CREATE TABLE paged (k INT PRIMARY KEY) SALT_BUCKETS = %d", salt))
		must(ctx, t, c, "INSERT INTO paged SELECT generate_series(1, 20000)")
		must(ctx, t, c, "ANALYZE paged")
		pages, _ := strconv.Atoi(*must(ctx, t, c, "SELECT relpages FROM pg_class WHERE relname = 'paged'")[0][0])
		if want := max(1, 1000*salt); pages != want && salt > 1 {
			t.Fatalf("%d buckets have %d pages", salt, pages)
		}
		for _, each := range []int{1000, 1700, 250_000} {
			rows, buckets := 0, 0
			for from := 0; from < pages; from += each {
				to := strconv.Itoa(from + each)
				if from+each >= pages {
					to = "4294967295"
				}
				read, _, in := work(ctx, t, c, fmt.Sprintf("SELECT k FROM paged WHERE ctid BETWEEN '(%d,0)'::tid AND '(%s,0)'::tid", from, to))
				rows, buckets = rows+read, buckets+in
			}
			if rows != 20000 || buckets != salt {
				t.Errorf("%d buckets by %d pages: %d rows of %d buckets are read", salt, each, rows, buckets)
			}
		}
		c.Close()
	}
}
