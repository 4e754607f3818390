package bench

import (
	"context"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql/internal/pgtest"
)

const pointRows = 100_000

// key gives the keys of point reads: all of the table, in a fixed disorder.
func key(i int) int { return i * 7919 % pointRows }

// BenchmarkPoint reads one row by its full key.
func BenchmarkPoint(b *testing.B) {
	b.Run("pebble-get", func(b *testing.B) {
		db := bare(b, b.TempDir(), pointRows)
		var k []byte
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			k = bareKey(k[:0], key(i))
			v, c, err := db.Get(k)
			if err != nil || len(v) == 0 {
				b.Fatal(err)
			}
			c.Close()
		}
	})
	for _, salt := range []int{0, 16} {
		b.Run(fmt.Sprintf("go-api/salt-%d", salt), func(b *testing.B) {
			db := openDB(b, b.TempDir())
			load(b, db, "t", salt, pointRows)
			s := session(b, db)
			ctx := context.Background()
			st, err := s.Prepare(ctx, "SELECT n, v FROM t WHERE k = $1")
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				r, err := st.Query(ctx, int64(key(i)))
				if err != nil || !r.Next() {
					b.Fatal(err, r.Err())
				}
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("round-trip", emptyRoundTrip)
	b.Run("wire/salt-16", func(b *testing.B) {
		db := openDB(b, b.TempDir())
		load(b, db, "t", 16, pointRows)
		pointOver(b, dial(b, db))
	})
	b.Run("postgres", func(b *testing.B) { pointOver(b, postgres(b, pointRows)) })
}

// pointOver reads through pgx with a prepared statement, binary results.
func pointOver(b *testing.B, c *pgx.Conn) {
	ctx := context.Background()
	if _, err := c.Prepare(ctx, "p", "SELECT n, v FROM t WHERE k = $1"); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		var n int32
		var v string
		if err := c.QueryRow(ctx, "p", int64(key(i))).Scan(&n, &v); err != nil {
			b.Fatal(err)
		}
	}
}

// emptyRoundTrip is a server that answers Bind, Execute, Sync with one row at
// once: what the protocol and the sockets cost by themselves.
func emptyRoundTrip(b *testing.B) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer ln.Close()
	go answerConstant(ln)
	pointOver(b, connect(b, fmt.Sprintf("host=127.0.0.1 port=%d user=x sslmode=disable", ln.Addr().(*net.TCPAddr).Port)))
}

func answerConstant(ln net.Listener) {
	nc, err := ln.Accept()
	if err != nil {
		return
	}
	defer nc.Close()
	be := pgproto3.NewBackend(nc, nc)
	if _, err := be.ReceiveStartupMessage(); err != nil {
		return
	}
	be.Send(&pgproto3.AuthenticationOk{})
	be.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	row := &pgproto3.DataRow{Values: [][]byte{{0, 0, 0, 7}, []byte("row number 0000000007 of the benchmark, some text")}}
	fields := []pgproto3.FieldDescription{{Name: []byte("n"), DataTypeOID: 23, DataTypeSize: 4}, {Name: []byte("v"), DataTypeOID: 1043, DataTypeSize: -1}}
	for be.Flush() == nil {
		msg, err := be.Receive()
		if err != nil {
			return
		}
		switch m := msg.(type) {
		case *pgproto3.Parse:
			be.Send(&pgproto3.ParseComplete{})
		case *pgproto3.Describe:
			if m.ObjectType == 'S' {
				be.Send(&pgproto3.ParameterDescription{ParameterOIDs: []uint32{20}})
			}
			be.Send(&pgproto3.RowDescription{Fields: fields})
			continue
		case *pgproto3.Bind:
			for i := range fields {
				fields[i].Format = 1
			}
			be.Send(&pgproto3.BindComplete{})
			continue
		case *pgproto3.Execute:
			be.Send(row)
			be.Send(&pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")})
			continue
		case *pgproto3.Sync:
			be.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		case *pgproto3.Terminate:
			return
		}
	}
}

// BenchmarkScan reads a million rows in key order, two columns decoded.
func BenchmarkScan(b *testing.B) {
	b.Run("pebble-iterator", func(b *testing.B) {
		db := bare(b, b.TempDir(), rows)
		settle(b, db)
		report := reportCPU(b)
		defer report()
		for b.Loop() {
			it, err := db.NewIter(nil)
			if err != nil {
				b.Fatal(err)
			}
			n, bytes := 0, 0
			for it.First(); it.Valid(); it.Next() {
				n++
				bytes += len(it.Key()) + len(it.Value())
			}
			if err := it.Close(); err != nil || n != rows {
				b.Fatal(n, err)
			}
		}
	})
	for _, salt := range []int{0, 16, 64} {
		b.Run(fmt.Sprintf("salt-%d", salt), func(b *testing.B) {
			db := openDB(b, b.TempDir())
			load(b, db, "t", salt, rows)
			s := session(b, db)
			st := prepare(b, s, "SELECT k, n FROM t ORDER BY k")
			b.ReportAllocs()
			report := reportCPU(b)
			for b.Loop() {
				if n := drain(b, st); n != rows {
					b.Fatal(n)
				}
			}
			report()
		})
	}
}

func settle(b *testing.B, db *pebble.DB) {
	if err := db.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := db.Compact(context.Background(), []byte{0}, []byte{0xff}, true); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCopy loads a million rows into an empty table.
func BenchmarkCopy(b *testing.B) {
	b.Run("pebble-batches", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			dir := b.TempDir()
			b.StartTimer()
			bare(b, dir, rows)
		}
	})
	for _, salt := range []int{0, 16} {
		b.Run(fmt.Sprintf("go-api/salt-%d", salt), func(b *testing.B) {
			db := openDB(b, b.TempDir())
			defer peakHeap(b)()
			for i := 0; b.Loop(); i++ {
				load(b, db, fmt.Sprintf("t%d", i), salt, rows)
			}
		})
	}
	b.Run("go-api/salt-16-no-order", func(b *testing.B) {
		db := openDB(b, b.TempDir())
		s := session(b, db)
		ctx := context.Background()
		shuffled(rows)
		defer peakHeap(b)()
		for i := 0; b.Loop(); i++ {
			table := fmt.Sprintf("t%d", i)
			if _, err := s.Exec(ctx, ddl(table, 16)); err != nil {
				b.Fatal(err)
			}
			if n, err := s.CopyFrom(ctx, "COPY "+table+" FROM STDIN", shuffled(rows)); err != nil || n != rows {
				b.Fatal(n, err)
			}
		}
	})
	pg := connect(b, pgtest.StartDurable(b))
	b.Cleanup(func() { pg.Close(context.Background()) })
	own := dial(b, openDB(b, b.TempDir()))
	for _, order := range []string{"in-order", "no-order"} {
		text := data
		if order == "no-order" {
			text = shuffled
		}
		text(rows)
		for _, s := range []struct {
			name string
			conn *pgx.Conn
			salt int
		}{{"salt-16", own, 16}, {"salt-0", own, 0}, {"postgres", pg, 0}} {
			b.Run("wire/"+order+"/"+s.name, func(b *testing.B) {
				report := reportCPU(b)
				for b.Loop() {
					copyOver(b, s.conn, ddl("t", s.salt), "t", text(rows))
					b.StopTimer()
					if _, err := s.conn.Exec(context.Background(), "DROP TABLE t"); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
				report()
			})
		}
	}
}

// copyOver makes a table and copies text into it.
func copyOver(b *testing.B, c *pgx.Conn, create, table string, text io.Reader) {
	ctx := context.Background()
	if _, err := c.Exec(ctx, create); err != nil {
		b.Fatal(err)
	}
	if _, err := c.PgConn().CopyFrom(ctx, text, "COPY "+table+" FROM STDIN"); err != nil {
		b.Fatal(err)
	}
}
