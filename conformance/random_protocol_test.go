package conformance

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
)

// protocol is a session over a socket. With a page, it reads results in pages:
// Execute with a row limit, the portal suspended in between.
type protocol struct{ c *pgconn.PgConn }

func (p *protocol) close(ctx context.Context) { p.c.Close(ctx) }

func (p *protocol) text(ctx context.Context, sql string, page uint32) ([][]*string, string, error) {
	if page == 0 {
		return pgConn{p.c}.Exec(ctx, sql)
	}
	p.c.Frontend().SendParse(&pgproto3.Parse{Query: sql})
	return p.portal(ctx, "", nil, page)
}

func (p *protocol) prepare(ctx context.Context, name, sql string, oids []uint32) error {
	_, err := p.c.Prepare(ctx, name, sql, oids)
	return err
}

func (p *protocol) execute(ctx context.Context, name string, args []*string, page uint32) ([][]*string, string, error) {
	vals := make([][]byte, len(args))
	for i, a := range args {
		if a != nil {
			vals[i] = []byte(*a)
		}
	}
	return p.portal(ctx, name, vals, page)
}

// portal binds the unnamed portal and reads it.
func (p *protocol) portal(ctx context.Context, stmt string, args [][]byte, page uint32) (rows [][]*string, tag string, err error) {
	f := p.c.Frontend()
	f.SendBind(&pgproto3.Bind{PreparedStatement: stmt, Parameters: args})
	f.SendExecute(&pgproto3.Execute{MaxRows: page})
	f.Send(&pgproto3.Flush{})
	if err := f.Flush(); err != nil {
		return nil, "", err
	}
	for {
		msg, e := p.c.ReceiveMessage(ctx)
		if e != nil {
			p.c.Close(ctx)
			return nil, "", e
		}
		switch m := msg.(type) {
		case *pgproto3.DataRow:
			rows = append(rows, rowTexts(m.Values))
		case *pgproto3.PortalSuspended:
			f.SendExecute(&pgproto3.Execute{MaxRows: page})
			f.Send(&pgproto3.Flush{})
			e = f.Flush()
		case *pgproto3.CommandComplete:
			tag = string(m.CommandTag)
			f.SendSync(&pgproto3.Sync{})
			e = f.Flush()
		case *pgproto3.ErrorResponse:
			err = pgconn.ErrorResponseToPgError(m)
			f.SendSync(&pgproto3.Sync{})
			e = f.Flush()
		case *pgproto3.ReadyForQuery:
			return rows, tag, err
		case *pgproto3.ParseComplete, *pgproto3.BindComplete, *pgproto3.NoticeResponse, *pgproto3.ParameterStatus:
		default:
			p.c.Close(ctx)
			return nil, "", fmt.Errorf("unexpected message %T", msg)
		}
		if e != nil {
			return nil, "", e
		}
	}
}

func rowTexts(vals [][]byte) []*string {
	row := make([]*string, len(vals))
	for i, v := range vals {
		if v != nil {
			s := string(v)
			row[i] = &s
		}
	}
	return row
}

// TestErrorBeforeSync: an error is answered at once, not at Sync: clients wait
// for it after Flush.
func TestErrorBeforeSync(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
	defer cancel()
	host, port := harness.Serve(t, variant{store: "mem"}.open(t))
	c := harness.Connect(t, host, port).PgConn()
	f := c.Frontend()
	f.SendParse(&pgproto3.Parse{Query: "SELECT * FROM nowhere"})
	f.Send(&pgproto3.Flush{})
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	m, err := c.ReceiveMessage(ctx)
	if e, ok := m.(*pgproto3.ErrorResponse); !ok || e.Code != "42P01" {
		t.Errorf("got %T %+v, %v", m, m, err)
	}
}

// TestFailedBlockBeforeValues: in a failed block it does not matter whether the
// values of a statement can be read, to Go programs and over the protocol.
func TestFailedBlockBeforeValues(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
	defer cancel()
	db := variant{store: "mem"}.open(t)
	host, port := harness.Serve(t, db)
	s, err := db.NewSession(saltsql.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	bad := "1.5"
	for _, c := range []randomConn{newEmbedded(s), &protocol{harness.Connect(t, host, port).PgConn()}} {
		if err := c.prepare(ctx, "p", "SELECT $1 + 1", []uint32{23}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.execute(ctx, "p", []*string{&bad}, 0); state(err) != "22P02" {
			t.Errorf("%T: %v", c, err)
		}
		c.text(ctx, "BEGIN", 0)
		c.text(ctx, "SELECT 1/0", 0)
		if _, _, err := c.execute(ctx, "p", []*string{&bad}, 0); state(err) != "25P02" {
			t.Errorf("%T, in a failed block: %v", c, err)
		}
		if _, tag, err := c.text(ctx, "ROLLBACK", 0); tag != "ROLLBACK" || err != nil {
			t.Errorf("%T: %s %v", c, tag, err)
		}
	}
}
