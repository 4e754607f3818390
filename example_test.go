package saltsql_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/storage/mem"
)

// A salted table reads in key order, like an unsalted one.
func Example() {
	ctx := context.Background()
	db, err := saltsql.Open(ctx, mem.New(), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	for _, stmt := range []string{
		`CREATE TABLE metrics (host VARCHAR, ts TIMESTAMP, cpu DOUBLE PRECISION,
		   CONSTRAINT pk PRIMARY KEY (host, ts DESC)) SALT_BUCKETS = 8`,
		`UPSERT INTO metrics VALUES ('web-1', '2024-01-01 00:00', 0.5), ('web-1', '2024-01-01 00:01', 0.75), ('web-2', '2024-01-01 00:00', 1)`,
	} {
		if _, err := db.Exec(ctx, stmt); err != nil {
			log.Fatal(err)
		}
	}
	rows, err := db.Query(ctx, "SELECT ts, cpu FROM metrics WHERE host = $1 ORDER BY host, ts DESC LIMIT 10", "web-1")
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		fmt.Println(rows.Text(0), rows.Text(1))
	}
	if err := rows.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 2024-01-01 00:01:00 0.75
	// 2024-01-01 00:00:00 0.5
}

// A database/sql handle over a DB needs no socket.
func ExampleDB_Connector() {
	ctx := context.Background()
	db, err := saltsql.Open(ctx, mem.New(), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	sqldb := sql.OpenDB(db.Connector())
	defer sqldb.Close()
	if _, err := sqldb.Exec("CREATE TABLE kv (k VARCHAR PRIMARY KEY, n INT) SALT_BUCKETS = 4"); err != nil {
		log.Fatal(err)
	}
	res, err := sqldb.Exec("INSERT INTO kv VALUES ($1, $2), ($3, $4)", "a", 1, "b", 2)
	if err != nil {
		log.Fatal(err)
	}
	n, _ := res.RowsAffected()
	var sum int
	if err := sqldb.QueryRow("SELECT sum(n) FROM kv").Scan(&sum); err != nil {
		log.Fatal(err)
	}
	fmt.Println(n, sum)
	// Output: 2 3
}

func openExample(ctx context.Context, setup string) *saltsql.DB {
	db, err := saltsql.Open(ctx, mem.New(), nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := db.Exec(ctx, setup); err != nil {
		log.Fatal(err)
	}
	return db
}

// Rows come as structs, whose fields have the columns' names.
func ExampleEach() {
	ctx := context.Background()
	db := openExample(ctx, `CREATE TABLE metrics (host TEXT, ts TIMESTAMPTZ, cpu_load FLOAT8, PRIMARY KEY (host, ts)) SALT_BUCKETS = 4;
		UPSERT INTO metrics VALUES ('web-1', '2024-01-01 00:00Z', 0.5), ('web-1', '2024-01-01 00:01Z', NULL)`)
	defer db.Close()
	type Metric struct {
		Host    string
		At      time.Time `db:"ts"`
		CPULoad *float64
	}
	for m, err := range saltsql.Each[Metric](ctx, db, "SELECT * FROM metrics WHERE host = $1 ORDER BY ts", "web-1") {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m.Host, m.At.UTC().Format(time.TimeOnly), m.CPULoad != nil)
	}
	// Output:
	// web-1 00:00:00 true
	// web-1 00:01:00 false
}

// A transaction that another one got in the way of runs again.
func ExampleDB_InTx() {
	ctx := context.Background()
	db := openExample(ctx, "CREATE TABLE account (id INT PRIMARY KEY, balance INT CHECK (balance >= 0)); INSERT INTO account VALUES (1, 100), (2, 0)")
	defer db.Close()
	transfer := func(amount int) error {
		return db.InTx(ctx, &saltsql.TxOptions{Isolation: sql.LevelRepeatableRead}, func(s *saltsql.Session) error {
			if _, err := s.Exec(ctx, "UPDATE account SET balance = balance + $1 WHERE id = 2", amount); err != nil {
				return err
			}
			_, err := s.Exec(ctx, "UPDATE account SET balance = balance - $1 WHERE id = 1", amount)
			return err
		})
	}
	fmt.Println(transfer(70))
	var e *saltsql.Error
	if err := transfer(70); errors.As(err, &e) {
		fmt.Println(e.Code, e.Constraint)
	}
	fmt.Println(saltsql.All[int](ctx, db, "SELECT balance FROM account ORDER BY id"))
	// Output:
	// <nil>
	// 23514 account_balance_check
	// [30 70] <nil>
}

// Rows are loaded from Go values, and written out as text.
func ExampleSession_CopyRows() {
	ctx := context.Background()
	db := openExample(ctx, "CREATE TABLE squares (n INT PRIMARY KEY, square INT)")
	defer db.Close()
	rows := func(yield func([]any, error) bool) {
		for n := range 1000 {
			if !yield([]any{n, n * n}, nil) {
				return
			}
		}
	}
	n, err := db.CopyRows(ctx, "COPY squares FROM STDIN", rows)
	fmt.Println(n, err)
	_, err = db.CopyTo(ctx, "COPY (SELECT * FROM squares WHERE n > 997 ORDER BY n) TO STDOUT (FORMAT csv, HEADER)", os.Stdout)
	fmt.Println(err)
	// Output:
	// 1000 <nil>
	// n,square
	// 998,996004
	// 999,998001
	// <nil>
}

// A connection of database/sql gives its session, for what database/sql has no words for.
func ExampleConn() {
	ctx := context.Background()
	db := openExample(ctx, "CREATE TABLE kv (k TEXT PRIMARY KEY, v TEXT)")
	defer db.Close()
	sqldb := sql.OpenDB(db.ConnectorWith(saltsql.SessionOptions{
		User: "loader", Notice: func(n *saltsql.Notice) { fmt.Println(n.Severity, n.Message) },
	}))
	defer sqldb.Close()
	conn, err := sqldb.Conn(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	err = conn.Raw(func(c any) error {
		s := c.(*saltsql.Conn).Session()
		_, err := s.CopyRows(ctx, "COPY kv FROM STDIN", func(yield func([]any, error) bool) { yield([]any{"a", "1"}, nil) })
		return err
	})
	fmt.Println(err)
	_, err = conn.ExecContext(ctx, "DROP TABLE IF EXISTS absent")
	fmt.Println(err)
	// Output:
	// <nil>
	// NOTICE table "absent" does not exist, skipping
	// <nil>
}
