package harness

import (
	"context"
	"flag"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/pebble"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// Seed is the first one of what a test draws.
var Seed = flag.Uint64("seed", 1, "first seed of the random statements")

// Salts are the values of SALT_BUCKETS that every answer is compared over.
var Salts = []int{0, 1, 4, 16, 256}

// Stores make a fresh, empty store of each kind.
var Stores = map[string]func(t testing.TB) storage.Store{
	"mem": func(testing.TB) storage.Store { return mem.New() },
	"pebble": func(t testing.TB) storage.Store {
		s, err := pebble.Open("store", &pebble.Options{FS: vfs.NewMem(), CacheBytes: 16 << 20, Logger: Quiet})
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

// Transactional names a Bigtable store whose tables all are TRANSACTIONAL.
const Transactional = "transactional"

// Open makes a DB over a fresh store that lives as long as t.
func Open(t testing.TB, store string) *saltsql.DB {
	if store == Transactional {
		return openOn(t, Stores["bigtable"](t), map[string]string{"saltsql.default_transactional": "on"})
	}
	return OpenOn(t, Stores[store](t))
}

// Served makes a Pebble store as a server has it: on the disk, with the cache of a server that
// was not told what memory it has.
func Served(t testing.TB) storage.Store {
	const small = 256 << 20
	cache := max(small, memory.Total()/8-small)
	s, err := pebble.Open(filepath.Join(t.TempDir(), "store"), &pebble.Options{Logger: Quiet, CacheBytes: cache})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// OpenOn makes a DB over a store, both of which live as long as t.
func OpenOn(t testing.TB, s storage.Store) *saltsql.DB { return openOn(t, s, nil) }

func openOn(t testing.TB, s storage.Store, settings map[string]string) *saltsql.DB {
	db, err := saltsql.Open(context.Background(), s, &saltsql.Options{Logger: Quiet, Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// Patience is what a test waits for anything before it says that it hangs: no machine is
// so slow, and no test asks whether something was quick.
const Patience = 5 * time.Minute

// Quiet logs nothing.
var Quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// Run executes a statement; nil is NULL.
func Run(ctx context.Context, s *saltsql.Session, sql string) (out [][]*string, tag string, err error) {
	rows, err := s.Query(ctx, strings.TrimSuffix(sql, ";"))
	if err != nil {
		return nil, "", err
	}
	return ReadRows(rows)
}

// ReadRows reads a result to its end; nil is NULL.
func ReadRows(rows *saltsql.Rows) (out [][]*string, tag string, err error) {
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
