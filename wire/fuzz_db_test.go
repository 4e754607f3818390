package wire

import (
	"context"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/storage/mem"
)

// faultLog is a log that remembers faults of ours: panics and XX000.
type faultLog struct {
	slog.Handler
	mu     sync.Mutex
	faults []string
}

func (l *faultLog) Handle(_ context.Context, r slog.Record) error {
	if r.Level < slog.LevelError {
		return nil
	}
	var s strings.Builder
	s.WriteString(r.Message)
	r.Attrs(func(a slog.Attr) bool {
		s.WriteString("\n" + a.String())
		return true
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faults = append(l.faults, s.String())
	return nil
}

func (l *faultLog) WithAttrs([]slog.Attr) slog.Handler { return l }

func (l *faultLog) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.faults
	l.faults = nil
	return f
}

// FuzzDB sends one text in both protocols, with parameters in text and binary, and
// expects ReadyForQuery each time and no fault of ours.
func FuzzDB(f *testing.F) {
	for _, s := range []string{
		"select 1", "select $1::int + a, b from t where a = $1 order by b desc limit 2",
		"insert into t values ($1, 'x') on conflict do nothing returning *", "begin; savepoint s; rollback",
		"create table u (k text, ts timestamp, constraint pk primary key (k, ts desc)) salt_buckets = 4", "drop table if exists u",
		"upsert into t (a, b) values (1, 'y')", "update t set b = b || $1 where a in (1, 2, 3)", "delete from t where b like 'x%'",
		"select count(*), sum(a), min(b) from t group by a % 2 having count(*) > 1", "explain analyze select * from t where a > 1",
		"copy t to stdout with (format csv, header)", "copy t from stdin", "declare c cursor with hold for select * from t; fetch all from c",
		"set timezone = 'Europe/Berlin'; show all", "prepare p as select $1; execute p('x')", "select '\\x00'::bytea, array[1,2]::int[], '{\"a\":[1]}'::jsonb -> 'a'",
	} {
		f.Add(s, []byte("1"), uint8(0))
		f.Add(s, []byte{0, 0, 0, 7}, uint8(1))
	}
	log := &faultLog{Handler: slog.NewTextHandler(io.Discard, nil)}
	store := mem.New()
	db, err := saltsql.Open(context.Background(), store, &saltsql.Options{Logger: slog.New(log)})
	if err != nil {
		f.Fatal(err)
	}
	srv := NewServer(db, Config{Logger: slog.New(log)})
	f.Cleanup(func() {
		srv.Close()
		db.Close()
		store.Close()
	})
	f.Fuzz(func(t *testing.T, text string, arg []byte, format uint8) {
		client, server := net.Pipe()
		srv.start(server)
		c := newClient(t, client)
		defer client.Close()
		c.start(map[string]string{"user": "u", "options": "-c statement_timeout=5s"})
		c.Send(&pgproto3.Query{String: "create table if not exists t (a int primary key, b text)"})
		c.until("ReadyForQuery")
		text = strings.ReplaceAll(text, "\x00", "")
		c.Send(&pgproto3.Query{String: text})
		c.Send(&pgproto3.CopyDone{})
		got := c.until("ReadyForQuery")
		args := [][]byte{arg, nil, arg}[:int(format/2)%4]
		c.Send(&pgproto3.Parse{Query: text})
		c.Send(&pgproto3.Describe{ObjectType: 'S'})
		c.Send(&pgproto3.Bind{Parameters: args, ParameterFormatCodes: []int16{int16(format % 2)}, ResultFormatCodes: []int16{1}})
		c.Send(&pgproto3.Execute{MaxRows: 3})
		c.Send(&pgproto3.CopyDone{})
		c.Send(&pgproto3.Sync{})
		got += c.until("ReadyForQuery")
		if strings.Count(got, "ReadyForQuery") != 2 {
			t.Errorf("%q: %s", text, got)
		}
		client.Close()
		if faults := log.take(); faults != nil {
			t.Errorf("%q, % x, %d: %s", text, arg, format, strings.Join(faults, "\n"))
		}
	})
}
