package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/lib/pq"
)

func main() {
	ctx := context.Background()
	version := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "github.com/lib/pq" {
				version = m.Version
			}
		}
	}
	check := func(name string, run func(tell func(string, any)) error) {
		saw := map[string]any{}
		err := run(func(what string, value any) { saw[what] = value })
		line := map[string]any{"client": "lib/pq", "version": version, "check": name, "ok": err == nil, "saw": saw}
		if err != nil {
			line["why"] = err.Error()
		}
		_ = json.NewEncoder(os.Stdout).Encode(line)
	}
	const dsn = "sslmode=disable timezone=UTC"
	for _, binary := range []string{"no", "yes"} {
		db, err := sql.Open("postgres", dsn+" binary_parameters="+binary)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		with := " binary_parameters=" + binary
		check("values"+with, func(tell func(string, any)) error {
			const create = `CREATE TABLE lp_all (k bigint PRIMARY KEY, n numeric(10,2), f double precision, t text, b boolean, y bytea, d date, ti time, ts timestamp, tz timestamptz, u uuid, j jsonb, l bigint[], w text[], i interval)`
			if _, err := db.Exec(create); err != nil {
				return err
			}
			at := time.Date(2024, 2, 29, 1, 2, 3, 4000, time.UTC)
			_, err := db.Exec("INSERT INTO lp_all VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)", 1, "1.50", 0.1, "é", true, []byte{0, 255}, at, "12:30", at, at,
				"12345678-1234-5678-1234-567812345678", `{"a": null}`, pq.Array([]int64{1, 2}), pq.Array([]string{"a", `q"`}), "1 day 02:00")
			if err != nil {
				return err
			}
			rows, err := db.Query("SELECT * FROM lp_all")
			if err != nil {
				return err
			}
			defer rows.Close()
			columns, err := rows.ColumnTypes()
			for _, c := range columns {
				length, ok := c.Length()
				precision, scale, _ := c.DecimalSize()
				tell(c.Name(), fmt.Sprint(c.DatabaseTypeName(), c.ScanType(), length, ok, precision, scale))
			}
			values, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			for rows.Next() {
				err = errors.Join(err, rows.Scan(into...))
				var list []string
				for _, v := range values {
					if b, ok := v.([]byte); ok {
						v = string(b)
					}
					list = append(list, fmt.Sprintf("%T %v", v, v))
				}
				tell("row", list)
			}
			return errors.Join(err, rows.Err())
		})
		check("statements"+with, func(tell func(string, any)) error {
			s, err := db.Prepare("SELECT k, w FROM lp_all WHERE k = ANY($1)")
			if err != nil {
				return err
			}
			defer s.Close()
			var k int64
			var w pq.StringArray
			err = s.QueryRow(pq.Array([]int64{1, 5})).Scan(&k, &w)
			tell("row", []any{k, w})
			_, e := db.Exec("DROP TABLE lp_all")
			return errors.Join(err, e)
		})
		check("copy"+with, func(tell func(string, any)) error {
			if _, err := db.Exec("CREATE TABLE lp_copy (k integer PRIMARY KEY, v text)"); err != nil {
				return err
			}
			tx, err := db.Begin()
			if err != nil {
				return err
			}
			s, err := tx.Prepare(pq.CopyIn("lp_copy", "k", "v"))
			if err != nil {
				return errors.Join(err, tx.Rollback())
			}
			for i := range 300 {
				if _, err := s.Exec(i, fmt.Sprint("r\t", i)); err != nil {
					return errors.Join(err, tx.Rollback())
				}
			}
			_, err = s.Exec()
			err = errors.Join(err, s.Close(), tx.Commit())
			var n int
			err = errors.Join(err, db.QueryRow("SELECT count(*) FROM lp_copy WHERE v LIKE E'r\\t%'").Scan(&n))
			tell("rows", n)
			_, e := db.Exec("DROP TABLE lp_copy")
			return errors.Join(err, e)
		})
		_ = db.Close()
	}
	db, _ := sql.Open("postgres", dsn)
	check("errors", func(tell func(string, any)) error {
		if _, err := db.Exec("CREATE TABLE lp_err (k integer PRIMARY KEY, v integer NOT NULL)"); err != nil {
			return err
		}
		for _, q := range []string{"INSERT INTO lp_err VALUES (1, 1), (1, 1)", "INSERT INTO lp_err VALUES (2, NULL)", "SELECT nope FROM lp_err", "SELECT 1/0"} {
			var e *pq.Error
			_, err := db.Exec(q)
			if errors.As(err, &e) {
				tell(q, []string{string(e.Code), e.Code.Name(), e.Message, e.Detail, e.Position, e.Table, e.Column, e.Constraint})
			}
		}
		_, err := db.Exec("DROP TABLE lp_err")
		return err
	})
	check("transactions", func(tell func(string, any)) error {
		for _, level := range []sql.IsolationLevel{sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSerializable} {
			tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: level, ReadOnly: true})
			if err != nil {
				return err
			}
			var a, b string
			err = tx.QueryRow("SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only')").Scan(&a, &b)
			tell(level.String(), []string{a, b})
			if err = errors.Join(err, tx.Commit()); err != nil {
				return err
			}
		}
		return nil
	})
	check("listener", func(tell func(string, any)) error {
		l := pq.NewListener(dsn, time.Second, time.Minute, nil)
		defer l.Close()
		err := l.Listen("lp")
		_, e := db.Exec("NOTIFY lp, 'x'")
		select {
		case n := <-l.Notify:
			tell("got", []string{n.Channel, n.Extra})
		case <-time.After(20 * time.Second):
			return errors.New("no notification")
		}
		return errors.Join(err, e)
	})
	check("cancel", func(tell func(string, any)) error {
		short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		_, err := db.ExecContext(short, "SELECT pg_sleep(30)")
		var e *pq.Error
		tell("code", errors.As(err, &e) && e.Code == "57014" || errors.Is(err, context.DeadlineExceeded))
		var n int
		return db.QueryRow("SELECT 1").Scan(&n)
	})
	check("several results", func(tell func(string, any)) error {
		rows, err := db.Query("SELECT 1; SELECT 2, 'x'")
		if err != nil {
			return err
		}
		defer rows.Close()
		for more := true; more; more = rows.NextResultSet() {
			columns, err := rows.Columns()
			if err != nil {
				return err
			}
			for rows.Next() {
				tell(fmt.Sprint(len(columns)), true)
			}
		}
		return rows.Err()
	})
}
