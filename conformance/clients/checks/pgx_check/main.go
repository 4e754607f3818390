package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// kinds are types with a value of each, as pgx takes it.
var kinds = []struct {
	name  string
	value any
}{
	{"smallint", int16(-32768)}, {"integer", int32(7)}, {"bigint", int64(math.MaxInt64)}, {"real", float32(1.5)}, {"double precision", 0.1},
	{"numeric", "12345678901234567890.0001"}, {"numeric(10,2)", "1.50"}, {"text", "é 漢"}, {"varchar(9)", "abc"}, {"char(5)", "ab"}, {"bytea", []byte{0, 255}},
	{"boolean", true}, {"date", time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)}, {"time", pgtype.Time{Microseconds: 86399999999, Valid: true}},
	{"timestamp", time.Date(2024, 2, 29, 1, 2, 3, 4000, time.UTC)}, {"timestamptz", time.Date(2024, 2, 29, 1, 2, 3, 4000, time.UTC)},
	{"interval", pgtype.Interval{Months: 1, Days: 2, Microseconds: 3, Valid: true}}, {"uuid", "12345678-1234-5678-1234-567812345678"},
	{"json", map[string]any{"a": 1}}, {"jsonb", []any{1.0, nil}}, {"integer[]", []int32{1, 2}}, {"text[]", []string{"a", ""}}, {"bigint[][]", [][]int64{{1, 2}, {3, 4}}},
	{"timestamptz[]", []time.Time{time.Unix(0, 0)}}, {"inet", netip.MustParsePrefix("10.0.0.1/32")}, {"oid", uint32(5)}, {"name", "n"}, {"jsonpath", "$.a"},
}

func main() {
	ctx := context.Background()
	version := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "github.com/jackc/pgx/v5" {
				version = m.Version
			}
		}
	}
	check := func(name string, run func(tell func(string, any)) error) {
		saw := map[string]any{}
		err := run(func(what string, value any) { saw[what] = value })
		line := map[string]any{"client": "pgx", "version": version, "check": name, "ok": err == nil, "saw": saw}
		if err != nil {
			line["why"] = err.Error()
		}
		_ = json.NewEncoder(os.Stdout).Encode(line)
	}
	dsn := "sslmode=disable timezone=UTC"
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for i, k := range kinds {
		check(k.name, func(tell func(string, any)) error {
			table := fmt.Sprint("gx_type", i)
			if _, err := conn.Exec(ctx, "CREATE TABLE "+table+" (k integer PRIMARY KEY, v "+k.name+")"); err != nil {
				return err
			}
			_, err := conn.Exec(ctx, "INSERT INTO "+table+" VALUES (1, $1), (2, NULL)", k.value)
			for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeSimpleProtocol} {
				rows, e := conn.Query(ctx, "SELECT v FROM "+table+" ORDER BY k", mode)
				if e != nil {
					err = errors.Join(err, e)
					continue
				}
				found, e := pgx.CollectRows(rows, func(r pgx.CollectableRow) (string, error) {
					v, err := r.Values()
					return fmt.Sprintf("%v", v), err
				})
				f := rows.FieldDescriptions()[0]
				tell(mode.String(), []any{found, f.Name, f.DataTypeOID, f.DataTypeSize, f.TypeModifier, f.TableAttributeNumber})
				err = errors.Join(err, e)
			}
			_, e := conn.Exec(ctx, "DROP TABLE "+table)
			return errors.Join(err, e)
		})
	}
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
		check("mode "+mode.String(), func(tell func(string, any)) error {
			var n int64
			var s string
			for i := range 3 {
				if err := conn.QueryRow(ctx, "SELECT $1::bigint + 1, $2::text || 'x'", mode, i, "é").Scan(&n, &s); err != nil {
					return err
				}
			}
			tell("row", []any{n, s})
			return nil
		})
	}
	check("struct", func(tell func(string, any)) error {
		type row struct {
			ID   int32
			Name *string
			At   time.Time `db:"at"`
		}
		rows, err := conn.Query(ctx, "SELECT 1 AS id, NULL::text AS name, '2024-02-29 00:00Z'::timestamptz AS at")
		if err != nil {
			return err
		}
		found, err := pgx.CollectOneRow(rows, pgx.RowToStructByName[row])
		tell("row", fmt.Sprint(found.ID, found.Name == nil, found.At.UTC()))
		return err
	})
	check("batch", func(tell func(string, any)) error {
		if _, err := conn.Exec(ctx, "CREATE TABLE gx_batch (k integer PRIMARY KEY, v text)"); err != nil {
			return err
		}
		b := &pgx.Batch{}
		for i := range 50 {
			b.Queue("INSERT INTO gx_batch VALUES ($1, $2)", i, fmt.Sprint(i))
		}
		var sum int64
		b.Queue("SELECT sum(k) FROM gx_batch").QueryRow(func(r pgx.Row) error { return r.Scan(&sum) })
		err := conn.SendBatch(ctx, b).Close()
		tell("sum", sum)
		bad := &pgx.Batch{}
		bad.Queue("INSERT INTO gx_batch VALUES (100, 'x')")
		bad.Queue("INSERT INTO gx_batch VALUES (1, 'x')")
		tell("error", conn.SendBatch(ctx, bad).Close().(*pgconn.PgError).Code)
		var n int
		err = errors.Join(err, conn.QueryRow(ctx, "SELECT count(*) FROM gx_batch").Scan(&n))
		tell("count", n)
		_, e := conn.Exec(ctx, "DROP TABLE gx_batch")
		return errors.Join(err, e)
	})
	check("copy", func(tell func(string, any)) error {
		if _, err := conn.Exec(ctx, "CREATE TABLE gx_copy (k integer PRIMARY KEY, s text, n numeric(8,2), at timestamptz, l integer[], i interval)"); err != nil {
			return err
		}
		n, err := conn.CopyFrom(ctx, pgx.Identifier{"gx_copy"}, []string{"k", "s", "n", "at", "l", "i"}, pgx.CopyFromSlice(1000, func(i int) ([]any, error) {
			return []any{i, fmt.Sprint("r", i), float64(i) / 4, time.Unix(int64(i), 0), []int32{int32(i)}, time.Duration(i) * time.Second}, nil
		}))
		tell("rows", n)
		var out strings.Builder
		tag, e := conn.PgConn().CopyTo(ctx, &out, "COPY (SELECT k, s, n, l, i FROM gx_copy WHERE k IN (1, 999) ORDER BY k) TO STDOUT")
		tell("out", []string{tag.String(), out.String()})
		_, dup := conn.CopyFrom(ctx, pgx.Identifier{"gx_copy"}, []string{"k"}, pgx.CopyFromRows([][]any{{5000}, {1}}))
		var pg *pgconn.PgError
		errors.As(dup, &pg)
		tell("duplicate", []string{pg.Code, pg.TableName, pg.ConstraintName})
		_, e2 := conn.Exec(ctx, "DROP TABLE gx_copy")
		return errors.Join(err, e, e2)
	})
	check("transactions", func(tell func(string, any)) error {
		if _, err := conn.Exec(ctx, "CREATE TABLE gx_tx (k integer PRIMARY KEY)"); err != nil {
			return err
		}
		err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.Serializable}, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "INSERT INTO gx_tx VALUES (1)"); err != nil {
				return err
			}
			sub := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
				_, err := tx.Exec(ctx, "INSERT INTO gx_tx VALUES (1)")
				return err
			})
			var pg *pgconn.PgError
			errors.As(sub, &pg)
			tell("inner", []any{pg.Code, pg.Message, pg.Detail, pg.Severity})
			return nil
		})
		e := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "DELETE FROM gx_tx")
			return err
		})
		var pg *pgconn.PgError
		errors.As(e, &pg)
		tell("read only", pg.Code)
		_, e = conn.Exec(ctx, "DROP TABLE gx_tx")
		return errors.Join(err, e)
	})
	check("types of users", func(tell func(string, any)) error {
		for _, q := range []string{"CREATE TYPE gx_mood AS ENUM ('sad', 'ok')", "CREATE DOMAIN gx_small AS integer CHECK (VALUE < 10)",
			"CREATE TABLE gx_own (k integer PRIMARY KEY, m gx_mood, l gx_mood[], d gx_small)"} {
			if _, err := conn.Exec(ctx, q); err != nil {
				return err
			}
		}
		list, err := conn.LoadTypes(ctx, []string{"gx_mood", "gx_mood[]", "gx_small"})
		if err != nil {
			return err
		}
		conn.TypeMap().RegisterTypes(list)
		_, err = conn.Exec(ctx, "INSERT INTO gx_own VALUES (1, $1, $2, $3)", "ok", []string{"sad", "ok"}, 3)
		var m string
		var l []string
		var d int
		err = errors.Join(err, conn.QueryRow(ctx, "SELECT m, l, d FROM gx_own").Scan(&m, &l, &d))
		tell("row", []any{m, l, d})
		for _, q := range []string{"DROP TABLE gx_own", "DROP TYPE gx_mood", "DROP DOMAIN gx_small"} {
			_, e := conn.Exec(ctx, q)
			err = errors.Join(err, e)
		}
		return err
	})
	check("notify", func(tell func(string, any)) error {
		other, err := pgx.Connect(ctx, dsn)
		if err != nil {
			return err
		}
		defer other.Close(ctx)
		_, err = other.Exec(ctx, "LISTEN gx")
		_, e := conn.Exec(ctx, "SELECT pg_notify('gx', 'hello')")
		wait, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		n, e2 := other.WaitForNotification(wait)
		if n != nil {
			tell("got", []string{n.Channel, n.Payload})
		}
		return errors.Join(err, e, e2)
	})
	check("cancel", func(tell func(string, any)) error {
		pool, err := pgxpool.New(ctx, dsn)
		if err != nil {
			return err
		}
		defer pool.Close()
		short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		_, err = pool.Exec(short, "SELECT pg_sleep(30)")
		tell("ended", err != nil && errors.Is(err, context.DeadlineExceeded))
		var n int
		err = pool.QueryRow(ctx, "SELECT 5").Scan(&n)
		tell("after", n)
		return err
	})
	check("large objects", func(tell func(string, any)) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			lo := tx.LargeObjects()
			id, err := lo.Create(ctx, 0)
			if err != nil {
				return err
			}
			return lo.Unlink(ctx, id)
		})
	})
}
