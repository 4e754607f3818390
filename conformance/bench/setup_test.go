package bench

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/pgtest"
	store "github.com/saltsql/saltsql/storage/pebble"
	"github.com/saltsql/saltsql/wire"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

const rows = 1_000_000

// line is row i of the COPY data: a bigint key and two columns.
func line(b []byte, i int) []byte {
	return fmt.Appendf(b, "%d\t%d\trow number %010d of the benchmark, some text\n", i, i%1000, i)
}

// data is the COPY text of n rows. It is made once for each n: making it is no
// part of what is measured.
func data(n int) io.Reader {
	text, ok := texts[n]
	if !ok {
		for i := range n {
			text = line(text, i)
		}
		texts[n] = text
	}
	return bytes.NewReader(text)
}

var texts = map[int][]byte{}

// shuffled is data in no order of keys.
func shuffled(n int) io.Reader {
	text, ok := texts[-n]
	if !ok {
		for i := range n {
			text = line(text, i*7919%n)
		}
		texts[-n] = text
	}
	return bytes.NewReader(text)
}

// peakHeap samples how much the heap holds until the function it returns is
// called, which reports the most there was beyond what was there before.
func peakHeap(b *testing.B) (stop func()) {
	runtime.GC()
	held := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	read := func() uint64 {
		metrics.Read(held)
		return held[0].Value.Uint64()
	}
	before := read()
	quit, done := make(chan struct{}), make(chan uint64)
	go func() {
		var peak uint64
		for {
			select {
			case <-quit:
				done <- peak
				return
			case <-time.After(5 * time.Millisecond):
				peak = max(peak, read())
			}
		}
	}()
	return func() {
		close(quit)
		b.ReportMetric(float64(max(<-done, before)-before)/(1<<20), "peak-MB")
	}
}

func openDB(b testing.TB, dir string) *saltsql.DB {
	return openWith(b, dir, &saltsql.Options{Logger: quiet})
}

func openWith(b testing.TB, dir string, opts *saltsql.Options) *saltsql.DB {
	db, _ := openBoth(b, dir, opts)
	return db
}

// openBoth gives the store too.
func openBoth(b testing.TB, dir string, opts *saltsql.Options) (*saltsql.DB, *store.Store) {
	st, err := store.Open(filepath.Join(dir, "store"), &store.Options{Logger: quiet})
	if err != nil {
		b.Fatal(err)
	}
	db, err := saltsql.Open(context.Background(), st, opts)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := errors.Join(db.Close(), st.Close()); err != nil {
			b.Error(err)
		}
	})
	return db, st
}

func ddl(table string, salt int) string {
	s := fmt.Sprintf("CREATE TABLE %s (k BIGINT, n INT, v VARCHAR, PRIMARY KEY (k))", table)
	if salt > 0 {
		s += fmt.Sprintf(" SALT_BUCKETS = %d", salt)
	}
	return s
}

// load makes a table of n rows.
func load(b testing.TB, db *saltsql.DB, table string, salt, n int) {
	if _, err := db.Exec(context.Background(), ddl(table, salt)); err != nil {
		b.Fatal(err)
	}
	s := session(b, db)
	if got, err := s.CopyFrom(context.Background(), "COPY "+table+" FROM STDIN", data(n)); err != nil || got != int64(n) {
		b.Fatal(got, err)
	}
}

func session(b testing.TB, db *saltsql.DB) *saltsql.Session {
	s, err := db.NewSession(saltsql.SessionOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	return s
}

// dial serves db and connects to it.
func dial(b *testing.B, db *saltsql.DB) *pgx.Conn {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	srv := wire.NewServer(db, wire.Config{Logger: quiet})
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ln) }()
	a := ln.Addr().(*net.TCPAddr)
	c := connect(b, fmt.Sprintf("host=%s port=%d user=bench dbname=saltsql sslmode=disable", a.IP, a.Port))
	b.Cleanup(func() {
		c.Close(context.Background())
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := srv.Shutdown(ctx); err != nil {
			b.Error(err)
		}
		<-done
	})
	return c
}

func connect(b *testing.B, dsn string) *pgx.Conn {
	c, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// postgres loads the same table into a real PostgreSQL.
func postgres(b *testing.B, n int) *pgx.Conn {
	c := connect(b, pgtest.Start(b))
	b.Cleanup(func() { c.Close(context.Background()) })
	ctx := context.Background()
	if _, err := c.Exec(ctx, ddl("t", 0)); err != nil {
		b.Fatal(err)
	}
	if n > 0 {
		if _, err := c.PgConn().CopyFrom(ctx, data(n), "COPY t FROM STDIN"); err != nil {
			b.Fatal(err)
		}
		if _, err := c.Exec(ctx, "VACUUM ANALYZE t"); err != nil {
			b.Fatal(err)
		}
	}
	return c
}

// bare opens a Pebble tuned as the adapter tunes it, and fills it with n rows
// of the size that the table's rows have.
func bare(b *testing.B, dir string, n int) *pebble.DB {
	cache := pebble.NewCache(256 << 20)
	defer cache.Unref()
	o := &pebble.Options{Cache: cache, FormatMajorVersion: pebble.FormatNewest, MemTableSize: 64 << 20, Logger: noLog{}}
	o.Experimental.ReadSamplingMultiplier = -1
	for i := range o.Levels {
		o.Levels[i].BlockSize, o.Levels[i].IndexBlockSize = 32<<10, 256<<10
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	db, err := pebble.Open(filepath.Join(dir, "bare"), o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	fill(b, db, n)
	return db
}

const bareBatch = 1024

func fill(b *testing.B, db *pebble.DB, n int) {
	val := []byte(strings.Repeat("x", 90))
	for i := 0; i < n; i += bareBatch {
		batch := db.NewBatch()
		for j := i; j < min(i+bareBatch, n); j++ {
			if err := batch.Set(bareKey(nil, j), val, nil); err != nil {
				b.Fatal(err)
			}
		}
		if err := batch.Commit(pebble.NoSync); err != nil {
			b.Fatal(err)
		}
	}
	if err := db.LogData(nil, pebble.Sync); err != nil {
		b.Fatal(err)
	}
}

func bareKey(dst []byte, i int) []byte {
	return binary.BigEndian.AppendUint64(append(dst, 0, 0, 0, 1), uint64(i)^1<<63)
}

type noLog struct{}

func (noLog) Infof(string, ...any)  {}
func (noLog) Errorf(string, ...any) {}
func (noLog) Fatalf(f string, a ...any) {
	panic(fmt.Sprintf(f, a...))
}
