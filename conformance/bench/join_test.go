package bench

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
)

// joinTables are two tables of which each row of the first has ten in the second, by the
// leading column of its key.
func joinTables(salt string) []string {
	return []string{
		"CREATE TABLE o (k BIGINT, c INT, PRIMARY KEY (k))" + salt,
		"CREATE TABLE l (k BIGINT, n INT, v VARCHAR, PRIMARY KEY (k, n))" + salt,
	}
}

const joinOrders = rows / 10

// joinData is the COPY text of both.
func joinData() (o, l string) {
	var a, b strings.Builder
	for i := range joinOrders {
		fmt.Fprintf(&a, "%d\t%d\n", i, i%1000)
		for n := range 10 {
			fmt.Fprintf(&b, "%d\t%d\trow number %010d of the benchmark\n", i, n, i*10+n)
		}
	}
	return a.String(), b.String()
}

// BenchmarkLookupJoin joins one row to ten by the key, over the wire, prepared: the full key
// of one table, and the leading column of the other's. cpu-µs is processor time of server and
// client together, for busy machines.
func BenchmarkLookupJoin(b *testing.B) {
	ctx := context.Background()
	o, l := joinData()
	ask := func(b *testing.B, c *pgx.Conn, used func() time.Duration) {
		was := used()
		defer func() { perOp(b, used()-was, "cpu-µs/op") }()
		for i := 0; b.Loop(); i++ {
			rows, err := c.Query(ctx, "SELECT o.c, l.n, l.v FROM o JOIN l ON l.k = o.k WHERE o.k = $1", int64(i*7919%joinOrders))
			if err != nil {
				b.Fatal(err)
			}
			n := 0
			for rows.Next() {
				n++
			}
			if err := rows.Err(); err != nil || n != 10 {
				b.Fatal(n, err)
			}
		}
	}
	b.Run("saltsql-16", func(b *testing.B) {
		c := dial(b, openDB(b, b.TempDir()))
		fillJoin(b, c, joinTables(" SALT_BUCKETS = 16, SALT_COLUMNS = (k)"), o, l)
		ask(b, c, harness.ProcessTime)
	})
	b.Run("postgres", func(b *testing.B) {
		c := postgres(b, 0)
		fillJoin(b, c, joinTables(""), o, l)
		serving := servingTime(c)
		ask(b, c, func() time.Duration { return harness.ProcessTime() + serving() })
	})
}

func fillJoin(b *testing.B, c *pgx.Conn, create []string, o, l string) {
	ctx := context.Background()
	for _, sql := range create {
		if _, err := c.Exec(ctx, sql); err != nil {
			b.Fatal(err)
		}
	}
	for table, text := range map[string]string{"o": o, "l": l} {
		if _, err := c.PgConn().CopyFrom(ctx, strings.NewReader(text), "COPY "+table+" FROM STDIN"); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := c.Exec(ctx, "ANALYZE"); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkBucketJoin joins two tables of a million rows by the column that both are salted
// by, bucket by bucket, and the same without salt.
func BenchmarkBucketJoin(b *testing.B) {
	const query = "SELECT count(*), sum(a.n) FROM a JOIN b ON a.k = b.k"
	ctx := context.Background()
	for _, salt := range []int{0, 16} {
		b.Run(fmt.Sprintf("salt-%d", salt), func(b *testing.B) {
			db := openDB(b, b.TempDir())
			for _, table := range []string{"a", "b"} {
				load(b, db, table, salt, rows)
			}
			s := session(b, db)
			if _, err := s.Exec(ctx, "ANALYZE"); err != nil {
				b.Fatal(err)
			}
			askSaltsql(b, s, []namedQuery{{"hash", query}})
		})
	}
}
