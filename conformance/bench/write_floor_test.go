package bench

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
)

// serveWriteFloor is the least a server of the scripts of BenchmarkWrite can be in Go: an
// UPDATE is a pebble.Get and a Set of the same bytes, a transaction is a batch, and its end a
// commit that is synced. Clients share syncs as Pebble lets them. There are no locks, so that
// it is no database. It gives a connection, and how often the log was synced.
func serveWriteFloor(b *testing.B) (c *pgx.Conn, syncs func() float64) {
	db := bare(b, b.TempDir(), pointRows)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			nc, err := ln.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer nc.Close()
				w := &bareWriter{db: db, texts: map[string]string{}}
				w.serve(nc)
			})
		}
	})
	c = connect(b, fmt.Sprintf("host=127.0.0.1 port=%d user=floor dbname=floor sslmode=disable", ln.Addr().(*net.TCPAddr).Port))
	b.Cleanup(func() {
		c.Close(b.Context())
		ln.Close()
		wg.Wait()
	})
	return c, func() float64 { return syncsOf(b, db.Metrics()) }
}

// bareWriter is one client's session.
type bareWriter struct {
	db    *pebble.DB
	batch *pebble.Batch     // of the transaction block, if one is open
	texts map[string]string // by the statement's name
	text  string            // of the portal
	key   []byte
	row   []byte
}

// serve answers the client until it leaves.
func (w *bareWriter) serve(nc net.Conn) {
	be := pgproto3.NewBackend(nc, nc)
	if _, err := be.ReceiveStartupMessage(); err != nil {
		return
	}
	be.Send(&pgproto3.AuthenticationOk{})
	be.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	for err := be.Flush(); err == nil; {
		msg, rerr := be.Receive()
		if rerr != nil {
			return
		}
		switch m := msg.(type) {
		case *pgproto3.Parse:
			w.texts[m.Name] = m.Query
			be.Send(&pgproto3.ParseComplete{})
		case *pgproto3.Bind:
			w.text = w.texts[m.PreparedStatement]
			if n := len(m.Parameters); n > 0 {
				k, err := strconv.Atoi(string(m.Parameters[n-1]))
				if err != nil {
					return
				}
				w.key = bareKey(w.key[:0], k)
			}
			be.Send(&pgproto3.BindComplete{})
		case *pgproto3.Describe:
			if strings.HasPrefix(w.text, "SELECT") {
				be.Send(&pgproto3.RowDescription{Fields: pointFields})
			} else {
				be.Send(&pgproto3.NoData{})
			}
		case *pgproto3.Execute:
			if w.execute(be) != nil {
				return
			}
		case *pgproto3.Sync:
			status := byte('I')
			if w.batch != nil {
				status = 'T'
			}
			be.Send(&pgproto3.ReadyForQuery{TxStatus: status})
			err = be.Flush()
		case *pgproto3.Terminate:
			return
		}
	}
}

func (w *bareWriter) execute(be *pgproto3.Backend) error {
	word, _, _ := strings.Cut(w.text, " ")
	switch word = strings.TrimRight(word, ";"); word {
	case "BEGIN":
		w.batch = w.db.NewBatch()
	case "END":
		if err := w.batch.Commit(pebble.Sync); err != nil {
			return err
		}
		w.batch = nil
	default:
		v, closer, err := w.db.Get(w.key)
		if err != nil {
			return err
		}
		w.row = append(w.row[:0], v...)
		closer.Close()
		if word == "SELECT" {
			be.Send(&pgproto3.DataRow{Values: [][]byte{w.row[:3], w.row[3:52]}})
			break
		}
		if w.batch != nil {
			err = w.batch.Set(w.key, w.row, nil)
		} else {
			err = w.db.Set(w.key, w.row, pebble.Sync)
		}
		if err != nil {
			return err
		}
		word = "UPDATE 1"
	}
	be.Send(&pgproto3.CommandComplete{CommandTag: []byte(word)})
	return nil
}
