package bench

import (
	"fmt"
	"net"
	"strconv"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
)

// finder gives the values of the rows that a request for key k asks for, and returns how
// many they were. A value is valid during the call of give.
type finder func(k int, give func(value []byte)) (int, error)

// serveFloor is the least a server of reads can be in Go: pgproto3 reads and writes the
// messages, find finds the rows in Pebble, and nothing is between them. It takes any
// statement for the one it knows, with its key in text, and knows no errors, transactions,
// settings or cancels. Each client has a finder of its own.
func serveFloor(b *testing.B, columns []pgproto3.FieldDescription, newFinder func() finder) *pgx.Conn {
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
				answerFloor(nc, columns, newFinder())
			})
		}
	})
	c := connect(b, fmt.Sprintf("host=127.0.0.1 port=%d user=floor dbname=floor sslmode=disable", ln.Addr().(*net.TCPAddr).Port))
	b.Cleanup(func() {
		c.Close(b.Context())
		ln.Close()
		wg.Wait()
	})
	return c
}

var pointFields = []pgproto3.FieldDescription{
	{Name: []byte("n"), DataTypeOID: 23, DataTypeSize: 4, TypeModifier: -1},
	{Name: []byte("v"), DataTypeOID: 1043, DataTypeSize: -1, TypeModifier: -1},
}

// pointFinder is the finder of single rows, by as many calls of pebble.Get for each: the last
// gives the row, those before it read elsewhere, as an index does.
func pointFinder(db *pebble.DB, gets int) func() finder {
	return func() finder {
		var key []byte
		return func(k int, give func([]byte)) (int, error) {
			for i := range gets {
				key = bareKey(key[:0], k*(1+7918*i)%pointRows)
				v, closer, err := db.Get(key)
				if err != nil {
					return 0, err
				}
				if i == gets-1 {
					give(v)
				}
				if err := closer.Close(); err != nil {
					return 0, err
				}
			}
			return 1, nil
		}
	}
}

// answerFloor serves one client until it leaves.
func answerFloor(nc net.Conn, fields []pgproto3.FieldDescription, find finder) {
	be := pgproto3.NewBackend(nc, nc)
	if _, err := be.ReceiveStartupMessage(); err != nil {
		return
	}
	be.Send(&pgproto3.AuthenticationOk{})
	be.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	var (
		k, n     int
		row      = pgproto3.DataRow{Values: make([][]byte, len(fields))}
		parsed   pgproto3.ParseComplete
		bound    pgproto3.BindComplete
		params   = pgproto3.ParameterDescription{ParameterOIDs: []uint32{20}}
		columns  = pgproto3.RowDescription{Fields: fields}
		complete pgproto3.CommandComplete
		ready    = pgproto3.ReadyForQuery{TxStatus: 'I'}
	)
	give := func(v []byte) {
		row.Values[len(fields)-2], row.Values[len(fields)-1] = v[:3], v[3:52]
		if len(fields) > 2 {
			row.Values[0] = v[52:57]
		}
		be.Send(&row)
	}
	for err := be.Flush(); err == nil; {
		msg, rerr := be.Receive()
		if rerr != nil {
			return
		}
		switch m := msg.(type) {
		case *pgproto3.Parse:
			be.Send(&parsed)
		case *pgproto3.Describe:
			if m.ObjectType == 'S' {
				be.Send(&params)
			}
			be.Send(&columns)
		case *pgproto3.Bind:
			if k, err = strconv.Atoi(string(m.Parameters[0])); err != nil {
				return
			}
			be.Send(&bound)
		case *pgproto3.Execute:
			if n, err = find(k, give); err != nil {
				return
			}
			complete.CommandTag = strconv.AppendInt(append(complete.CommandTag[:0], "SELECT "...), int64(n), 10)
			be.Send(&complete)
		case *pgproto3.Sync:
			be.Send(&ready)
			err = be.Flush()
		case *pgproto3.Terminate:
			return
		}
	}
}
