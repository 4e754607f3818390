package conformance

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/slt"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/pebble"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// salts are the values of SALT_BUCKETS that every answer is compared over.
var salts = []int{0, 1, 4, 16, 256}

// stores make a fresh, empty store of each kind.
var stores = map[string]func(t testing.TB) storage.Store{
	"mem": func(testing.TB) storage.Store { return mem.New() },
	"pebble": func(t testing.TB) storage.Store {
		s, err := pebble.Open("store", &pebble.Options{FS: vfs.NewMem(), CacheBytes: 16 << 20, Logger: quiet})
		if err != nil {
			t.Fatal(err)
		}
		return s
	},
	"bigtable": func(t testing.TB) storage.Store {
		s, err := bigtable.Open(context.Background(), bigtable.Config{Project: "test", Instance: "test", Emulator: emulator.Start(t)})
		if err != nil {
			t.Fatal(err)
		}
		return s
	},
}

// patience is what a test waits for anything before it says that it hangs: no machine is
// so slow, and no test asks whether something was quick.
const patience = 5 * time.Minute

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// variant is one way to run: the answers must not depend on it.
type variant struct {
	store    string
	salt     int
	rulesOff bool
}

func (v variant) String() string {
	rules := ""
	if v.rulesOff {
		rules = "/rules-off"
	}
	return fmt.Sprintf("%s/salt-%d%s", v.store, v.salt, rules)
}

// open makes a DB of the variant that lives as long as t.
func (v variant) open(t testing.TB) *saltsql.DB {
	store := stores[v.store](t)
	db, err := saltsql.Open(context.Background(), store, &saltsql.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// sltVariants are what files run on here. Bigtable without salt and with 16 buckets is
// TestSLTWhileTabletsMove's.
func sltVariants() []variant {
	var vs []variant
	for _, salt := range salts {
		for _, off := range []bool{false, true} {
			vs = append(vs, variant{"pebble", salt, off})
		}
	}
	return append(vs, variant{"bigtable", 4, false}, variant{"bigtable", 256, false}, variant{"bigtable", 4, true}, variant{"mem", 16, false})
}

// engine is a variant as slt wants it.
type engine struct {
	variant
	db *saltsql.DB
}

func (e engine) Names() []string {
	names := []string{"saltsql", e.store, "unsalted"}
	if e.salt > 0 {
		names[2] = "salted"
	}
	if e.rulesOff {
		names = append(names, "rules-off")
	}
	return names
}

func (e engine) Salt() string {
	if e.salt == 0 {
		return ""
	}
	return fmt.Sprintf("SALT_BUCKETS = %d", e.salt)
}

func (e engine) Buckets() int { return max(e.salt, 1) }

func (e engine) Desc() uint { return 0 }

func (e engine) RulesOff() bool { return e.rulesOff }

func (e engine) Open(context.Context) (slt.Conn, error) {
	rules := "on"
	if e.rulesOff {
		rules = "off"
	}
	s, err := e.db.NewSession(saltsql.SessionOptions{Settings: map[string]string{"saltsql.rules": rules}})
	if err != nil {
		return nil, err
	}
	return sessionConn{s}, nil
}

type sessionConn struct{ s *saltsql.Session }

func (c sessionConn) Close() { c.s.Close() }

func (c sessionConn) Exec(ctx context.Context, sql string) ([][]*string, string, error) {
	return run(ctx, c.s, sql)
}

func run(ctx context.Context, s *saltsql.Session, sql string) (out [][]*string, tag string, err error) {
	rows, err := s.Query(ctx, strings.TrimSuffix(sql, ";"))
	if err != nil {
		return nil, "", err
	}
	return readRows(rows)
}

// readRows reads a result to its end; nil is NULL.
func readRows(rows *saltsql.Rows) (out [][]*string, tag string, err error) {
	defer rows.Close()
	for rows.Next() {
		var row []*string
		for i := range rows.Columns() {
			if rows.Null(i) {
				row = append(row, nil)
				continue
			}
			v := rows.Text(i)
			row = append(row, &v)
		}
		out = append(out, row)
	}
	return out, string(rows.Tag()), rows.Err()
}
