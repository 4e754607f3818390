package conformance

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	gormpg "gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/wire"
)

// TestPrograms runs programs as people write them, by the libraries that they write them
// with: over the embedding API, over a server in the same process without a socket, and on
// a real PostgreSQL. What they print must be the same.
func TestPrograms(t *testing.T) {
	seeds.Sometimes(t)
	programs := []struct {
		name string
		run  func(t *testing.T, h *sql.DB, out func(format string, args ...any))
	}{
		{"database/sql", stdProgram},
		{"sqlx", sqlxProgram},
		{"gorm", gormProgram},
	}
	ways := []struct {
		name string
		open func(t *testing.T) *sql.DB
	}{
		{"embedded", func(t *testing.T) *sql.DB { return sql.OpenDB(openEmbedded(t).Connector()) }},
		{"pgx over a pipe", func(t *testing.T) *sql.DB { return stdlib.OpenDB(*pipeConfig(t, openEmbedded(t))) }},
		{"postgres", func(t *testing.T) *sql.DB {
			config, err := pgx.ParseConfig(pgtest.Start(t))
			if err != nil {
				t.Fatal(err)
			}
			return stdlib.OpenDB(*config)
		}},
	}
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			said := map[string]string{}
			for _, w := range ways {
				t.Run(w.name, func(t *testing.T) {
					h := w.open(t)
					defer h.Close()
					var b strings.Builder
					p.run(t, h, func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) })
					said[w.name] = b.String()
				})
			}
			want, ok := said["postgres"]
			if !ok {
				t.Skip("without a PostgreSQL there is nothing to compare with")
			}
			if strings.Count(want, "\n") < 5 {
				t.Fatalf("the program has said only:\n%s", want)
			}
			for name, got := range said {
				if got != want {
					t.Errorf("%s says\n%s\nand PostgreSQL\n%s", name, got, want)
				}
			}
		})
	}
}

func openEmbedded(t *testing.T) *saltsql.DB {
	t.Helper()
	store := mem.New()
	db, err := saltsql.Open(context.Background(), store, &saltsql.Options{Logger: harness.Quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(db.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	return db
}

// pipeConfig connects pgx to a server of its own, in this process.
func pipeConfig(t *testing.T, db *saltsql.DB) *pgx.ConnConfig {
	t.Helper()
	config, err := pgx.ParseConfig("postgres://someone@in-process/saltsql?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	srv := wire.NewServer(db, wire.Config{Logger: harness.Quiet})
	config.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
	config.DialFunc = srv.Dial
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
		defer cancel()
		if err := srv.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	})
	return config
}

// stateOf gives an error's SQLSTATE in the way that serves any driver of PostgreSQL.
func stateOf(err error) string {
	var e interface{ SQLState() string }
	if errors.As(err, &e) {
		return e.SQLState()
	}
	return fmt.Sprint(err)
}

func stdProgram(t *testing.T, h *sql.DB, out func(string, ...any)) {
	ctx := context.Background()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := h.Exec("CREATE TABLE acc (id BIGINT PRIMARY KEY, owner VARCHAR(40) NOT NULL, balance NUMERIC(12,2), since TIMESTAMPTZ, tags TEXT[], doc JSONB, ok BOOLEAN, raw BYTEA, small SMALLINT, f REAL)")
	must(err)
	insert, err := h.Prepare("INSERT INTO acc VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)")
	must(err)
	since := time.Date(2024, 2, 29, 12, 30, 0, 123456000, time.UTC)
	for i := range 5 {
		r, err := insert.Exec(int64(i), fmt.Sprint("o", i), fmt.Sprintf("%d.50", i), since.Add(time.Duration(i)*time.Hour), "{a,b}", `{"n": 1}`, i%2 == 0, []byte{0, byte(i)}, i, 0.5)
		must(err)
		n, err := r.RowsAffected()
		out("inserted %d %v", n, err)
	}
	_, err = insert.Exec(int64(1), "again", nil, nil, nil, nil, nil, nil, nil, nil)
	out("a key twice: %s", stateOf(err))
	must(insert.Close())
	rows, err := h.Query("SELECT id, owner, balance, since, ok, raw, small, f, doc FROM acc WHERE id < $1 ORDER BY id", 3)
	must(err)
	types, err := rows.ColumnTypes()
	must(err)
	for _, c := range types {
		n, has := c.Length()
		p, s, dec := c.DecimalSize()
		if c.DatabaseTypeName() == "BYTEA" || strings.HasPrefix(c.DatabaseTypeName(), "JSON") {
			n, has = 0, false // drivers do not agree
		}
		out("%s %s %d %t %d %d %t", c.Name(), c.DatabaseTypeName(), n, has, p, s, dec)
	}
	for rows.Next() {
		var (
			id      int
			owner   string
			balance sql.NullString
			at      time.Time
			ok      *bool
			raw     []byte
			small   sql.Null[int16]
			f       float64
			doc     string
		)
		must(rows.Scan(&id, &owner, &balance, &at, &ok, &raw, &small, &f, &doc))
		out("%d %s %s %s %t %x %d %g %s", id, owner, balance.String, at.UTC().Format(time.RFC3339Nano), *ok, raw, small.V, f, doc)
	}
	must(rows.Err())

	tx, err := h.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	must(err)
	_, err = tx.Exec("UPDATE acc SET balance = balance - 1 WHERE id = $1", 1)
	must(err)
	_, err = tx.Exec("SELECT nope")
	out("in the transaction: %s", stateOf(err))
	_, err = tx.Exec("SELECT 1")
	out("after it: %s", stateOf(err))
	must(tx.Rollback())
	tx, err = h.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	must(err)
	_, err = tx.Exec("DELETE FROM acc")
	out("read only: %s", stateOf(err))
	must(tx.Rollback())
	var sum string
	must(h.QueryRow("SELECT sum(balance)::text FROM acc").Scan(&sum))
	out("sum %s", sum)
	out("no row: %v", h.QueryRow("SELECT id FROM acc WHERE id = 99").Scan(new(int)) == sql.ErrNoRows)
	must(h.PingContext(ctx))
}

type account struct {
	ID      int64
	Owner   string
	Balance *float64 `db:"balance"`
}

func sqlxProgram(t *testing.T, h *sql.DB, out func(string, ...any)) {
	x := sqlx.NewDb(h, "pgx")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := x.Exec("CREATE TABLE acc (id BIGINT PRIMARY KEY, owner TEXT NOT NULL, balance FLOAT8)")
	must(err)
	half := 0.5
	for i := range 4 {
		r, err := x.NamedExec("INSERT INTO acc (id, owner, balance) VALUES (:id, :owner, :balance)", account{int64(i), fmt.Sprint("o", i), map[bool]*float64{true: &half}[i%2 == 0]})
		must(err)
		n, _ := r.RowsAffected()
		out("inserted %d", n)
	}
	var all []account
	must(x.Select(&all, "SELECT * FROM acc WHERE id >= $1 ORDER BY id", 1))
	for _, a := range all {
		out("%d %s %t", a.ID, a.Owner, a.Balance != nil)
	}
	var one account
	must(x.Get(&one, "SELECT * FROM acc WHERE owner = $1", "o2"))
	out("%d %g", one.ID, *one.Balance)
	out("no row: %v", x.Get(&one, "SELECT * FROM acc WHERE id = 77") == sql.ErrNoRows)
	query, args, err := sqlx.In("SELECT owner FROM acc WHERE id IN (?) ORDER BY id DESC", []int{0, 2, 3})
	must(err)
	var owners []string
	must(x.Select(&owners, x.Rebind(query), args...))
	out("%v", owners)
	rows, err := x.Queryx("SELECT id, owner, balance FROM acc ORDER BY id")
	must(err)
	for rows.Next() {
		m := map[string]any{}
		must(rows.MapScan(m))
		out("%v %v %v", m["id"], m["owner"], m["balance"])
	}
	must(rows.Err())
	tx := x.MustBegin()
	tx.MustExec("DELETE FROM acc")
	must(tx.Rollback())
	var n int
	must(x.Get(&n, "SELECT count(*) FROM acc"))
	out("%d rows", n)
}

type gormUser struct {
	ID      uint64 `gorm:"primaryKey"`
	Name    string
	Age     *int
	Created time.Time
}

func (gormUser) TableName() string { return "users" }

func gormProgram(t *testing.T, h *sql.DB, out func(string, ...any)) {
	g, err := gorm.Open(gormpg.New(gormpg.Config{Conn: h}), &gorm.Config{Logger: logger.Discard, TranslateError: true})
	if err != nil {
		t.Fatal(err)
	}
	must := func(tx *gorm.DB) {
		t.Helper()
		if tx.Error != nil {
			t.Fatal(tx.Error)
		}
	}
	must(g.Exec("CREATE TABLE users (id BIGSERIAL PRIMARY KEY, name TEXT NOT NULL, age INT, created TIMESTAMPTZ)"))
	created := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	age := 30
	users := []gormUser{{Name: "ann", Age: &age, Created: created}, {Name: "bob", Created: created.Add(time.Hour)}, {Name: "cy", Age: &age, Created: created}}
	must(g.Create(&users))
	for _, u := range users {
		out("created %d", u.ID)
	}
	var found []gormUser
	must(g.Where("age = ?", 30).Order("name DESC").Find(&found))
	for _, u := range found {
		out("%d %s %d %s", u.ID, u.Name, *u.Age, u.Created.UTC().Format(time.RFC3339))
	}
	var bob gormUser
	must(g.First(&bob, "name = ?", "bob"))
	out("%d %t", bob.ID, bob.Age == nil)
	must(g.Model(&bob).Updates(map[string]any{"age": 41, "name": "bobby"}))
	must(g.Take(&bob, bob.ID))
	out("%s %d", bob.Name, *bob.Age)
	bob.Name = "rob"
	must(g.Save(&bob))
	var n int64
	must(g.Model(&gormUser{}).Where("name IN ?", []string{"rob", "ann"}).Count(&n))
	out("%d", n)
	err = g.Transaction(func(tx *gorm.DB) error {
		if err := tx.Delete(&gormUser{}, "age > ?", 0).Error; err != nil {
			return err
		}
		_ = tx.Transaction(func(tx *gorm.DB) error { // a savepoint
			tx.Create(&gormUser{ID: 900, Name: "gone", Created: created})
			return errors.New("no")
		})
		return tx.Create(&gormUser{ID: 901, Name: "kept", Created: created}).Error
	})
	out("%v", err)
	var names []string
	must(g.Model(&gormUser{}).Order("id").Pluck("name", &names))
	out("%v", names)
	out("a key twice: %v", errors.Is(g.Create(&gormUser{ID: 901, Name: "x", Created: created}).Error, gorm.ErrDuplicatedKey))
	out("not there: %v", errors.Is(g.First(&gormUser{}, 12345).Error, gorm.ErrRecordNotFound))
	row := map[string]any{}
	must(g.Table("users").Where("id = ?", 901).Take(&row))
	out("%v %v %v", row["id"], row["name"], row["age"])
}

// TestPgxPool uses what pgx has beyond database/sql, over a pipe: batches, COPY, listening
// to notices, many connections.
func TestPgxPool(t *testing.T) {
	ctx := context.Background()
	config, err := pgxpool.ParseConfig("")
	if err != nil {
		t.Fatal(err)
	}
	config.ConnConfig = pipeConfig(t, openEmbedded(t))
	config.MaxConns = 4
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, "CREATE TABLE t (k INT PRIMARY KEY, v TEXT) SALT_BUCKETS = 4"); err != nil {
		t.Fatal(err)
	}
	const rows = 20_000
	n, err := pool.CopyFrom(ctx, pgx.Identifier{"t"}, []string{"k", "v"}, pgx.CopyFromSlice(rows, func(i int) ([]any, error) {
		return []any{int32(i), strings.Repeat("x", i%200)}, nil
	}))
	if n != rows || err != nil {
		t.Fatal(n, err)
	}
	b := &pgx.Batch{}
	for i := range 100 {
		b.Queue("SELECT length(v) FROM t WHERE k = $1", i)
	}
	res := pool.SendBatch(ctx, b)
	for i := range 100 {
		var n int
		if err := res.QueryRow().Scan(&n); err != nil || n != i {
			t.Fatal(i, n, err)
		}
	}
	if err := res.Close(); err != nil {
		t.Fatal(err)
	}
	errs := make(chan error)
	for range 8 {
		go func() {
			all, err := pool.Query(ctx, "SELECT k, v FROM t ORDER BY k")
			if err != nil {
				errs <- err
				return
			}
			n := 0
			for all.Next() {
				n++
			}
			if err = all.Err(); err == nil && n != rows {
				err = fmt.Errorf("%d rows", n)
			}
			errs <- err
		}()
	}
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
