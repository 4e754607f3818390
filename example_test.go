package saltsql_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"

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
