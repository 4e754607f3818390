package main

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"testing/fstest"

	"github.com/golang-migrate/migrate/v4"
	"github.com/golang-migrate/migrate/v4/database/pgx/v5"
	"github.com/golang-migrate/migrate/v4/source/iofs"
)

// files are migrations; the first takes a second, so that two runs at once meet.
var files = fstest.MapFS{
	"1_tables.up.sql":   {Data: []byte("CREATE TABLE gm_author (id INT PRIMARY KEY, name TEXT NOT NULL); SELECT pg_sleep(1); CREATE TABLE gm_book (id INT PRIMARY KEY, author INT, title TEXT)")},
	"1_tables.down.sql": {Data: []byte("DROP TABLE gm_book; DROP TABLE gm_author")},
	"2_rows.up.sql":     {Data: []byte("INSERT INTO gm_author VALUES (1, 'a'), (2, 'b'); CREATE INDEX gm_by_author ON gm_book (author)")},
	"2_rows.down.sql":   {Data: []byte("DROP INDEX gm_by_author; DELETE FROM gm_author")},
	"3_column.up.sql":   {Data: []byte("ALTER TABLE gm_author ADD COLUMN born DATE")},
	"3_column.down.sql": {Data: []byte("ALTER TABLE gm_author DROP COLUMN born")},
	"4_broken.up.sql":   {Data: []byte("ALTER TABLE gm_nosuch ADD COLUMN born DATE")},
	"4_broken.down.sql": {Data: []byte("SELECT 1")},
}

func dsn(second bool) string {
	host := os.Getenv("PGHOST") + ":" + os.Getenv("PGPORT")
	if second {
		host = cmp.Or(os.Getenv("SECOND"), host)
	}
	return fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", os.Getenv("PGUSER"), host, os.Getenv("PGDATABASE"))
}

// with opens the migrations for one use.
func with(second bool, use func(*migrate.Migrate) error) error {
	db, err := sql.Open("pgx/v5", dsn(second))
	if err != nil {
		return err
	}
	driver, err := pgx.WithInstance(db, &pgx.Config{MultiStatementEnabled: true})
	if err != nil {
		return err
	}
	source, err := iofs.New(files, ".")
	if err != nil {
		return err
	}
	m, err := migrate.NewWithInstance("iofs", source, "pgx5", driver)
	if err != nil {
		return err
	}
	err = use(m)
	from, to := m.Close()
	return errors.Join(err, from, to)
}

func main() {
	version := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "github.com/golang-migrate/migrate/v4" {
				version = m.Version
			}
		}
	}
	check := func(name string, run func(tell func(string, any)) error) {
		saw := map[string]any{}
		err := run(func(what string, value any) { saw[what] = value })
		line := map[string]any{"client": "golang-migrate", "version": version, "check": name, "ok": err == nil, "saw": saw}
		if err != nil {
			line["why"] = err.Error()
		}
		_ = json.NewEncoder(os.Stdout).Encode(line)
	}
	at := func(tell func(string, any), when string) func(*migrate.Migrate) error {
		return func(m *migrate.Migrate) error {
			version, dirty, err := m.Version()
			tell(when, fmt.Sprint(version, dirty))
			return err
		}
	}
	check("two runs at once", func(tell func(string, any)) error {
		ended := make([]string, 2)
		var runs sync.WaitGroup
		for i := range ended {
			runs.Go(func() {
				err := with(i > 0, func(m *migrate.Migrate) error { return m.Migrate(3) })
				ended[i] = fmt.Sprint(err)
			})
		}
		runs.Wait()
		slices.Sort(ended)
		tell("ended", ended)
		return with(false, at(tell, "both"))
	})
	check("down and up", func(tell func(string, any)) error {
		if err := with(true, func(m *migrate.Migrate) error { return m.Steps(-3) }); err != nil {
			return err
		}
		if err := with(false, func(m *migrate.Migrate) error { return m.Steps(3) }); err != nil {
			return err
		}
		return with(true, at(tell, "up again"))
	})
	check("a migration that fails", func(tell func(string, any)) error {
		failed := with(false, func(m *migrate.Migrate) error { return m.Up() })
		if failed == nil {
			return errors.New("it did not")
		}
		if err := with(true, at(tell, "failed")); err != nil {
			return err
		}
		if err := with(true, func(m *migrate.Migrate) error { return m.Force(3) }); err != nil {
			return err
		}
		return with(false, at(tell, "forced"))
	})
	check("drop", func(tell func(string, any)) error {
		return with(false, func(m *migrate.Migrate) error { return m.Drop() })
	})
}
