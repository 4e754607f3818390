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

// serveFloor is the least a server of point reads can be in Go: pgproto3 reads
// and writes the messages, pebble.Get finds the row, and nothing is between
// them. It takes any statement for the point SELECT, with its key in text, and
// knows no errors, transactions, settings or cancels.
func serveFloor(b *testing.B) *pgx.Conn {
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
				answerPoints(nc, db)
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

// answerPoints serves one client until it leaves.
func answerPoints(nc net.Conn, db *pebble.DB) {
	be := pgproto3.NewBackend(nc, nc)
	if _, err := be.ReceiveStartupMessage(); err != nil {
		return
	}
	be.Send(&pgproto3.AuthenticationOk{})
	be.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	var (
		key      []byte
		row      = pgproto3.DataRow{Values: make([][]byte, len(pointFields))}
		parsed   pgproto3.ParseComplete
		bound    pgproto3.BindComplete
		params   = pgproto3.ParameterDescription{ParameterOIDs: []uint32{20}}
		columns  = pgproto3.RowDescription{Fields: pointFields}
		complete = pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")}
		ready    = pgproto3.ReadyForQuery{TxStatus: 'I'}
	)
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
			k, err := strconv.Atoi(string(m.Parameters[0]))
			if err != nil {
				return
			}
			key = bareKey(key[:0], k)
			be.Send(&bound)
		case *pgproto3.Execute:
			v, closer, err := db.Get(key)
			if err != nil {
				return
			}
			row.Values[0], row.Values[1] = v[:3], v[3:52]
			be.Send(&row)
			closer.Close()
			be.Send(&complete)
		case *pgproto3.Sync:
			be.Send(&ready)
			err = be.Flush()
		case *pgproto3.Terminate:
			return
		}
	}
}
