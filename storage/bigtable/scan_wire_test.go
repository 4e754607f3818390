package bigtable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/bigtable/replay"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

func openReplay(t testing.TB, config Config) (*replay.Server, *Store) {
	t.Helper()
	server, addr := replay.Start(t)
	config.Project, config.Instance = "p", "i"
	if config.ClientOptions == nil {
		config.Emulator = addr
	} else {
		t.Setenv(emulatorEnv, "")
		config.ClientOptions = append(config.ClientOptions, option.WithEndpoint(addr))
	}
	s, err := Open(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return server, s
}

// replayRows are few rows of all shapes: several families, versions, empty
// qualifiers and values, large values.
func replayRows() []replay.Row {
	c := func(family, qualifier string, ts int64, value string) replay.Cell {
		return replay.Cell{Family: family, Qualifier: []byte(qualifier), Timestamp: ts, Value: []byte(value)}
	}
	rows := []replay.Row{
		{Cells: []replay.Cell{c("f", "a", 1000, "1")}},
		{Cells: []replay.Cell{c("f", "", 2000, ""), c("f", "a", 2000, "v2"), c("f", "a", 1000, "v1"), c("g", "a", 0, "x")}},
		{Cells: []replay.Cell{c("g", "a", 1000, strings.Repeat("large", 9)), c("f", "b", 1000, "y"), c("f", "c", 3000, strings.Repeat("z", 21))}},
		{Cells: []replay.Cell{c("h", "\x80\x0b", 1000, ""), c("h", "\x80\x0c", 1000, "\x00\xff")}},
		{Cells: []replay.Cell{c("f", "a", 1000, "5"), c("g", "q", 1000, "6")}},
	}
	for i := range rows {
		rows[i].Key = fmt.Appendf(nil, "k%d", i)
	}
	rows[4].Key = []byte("k3\x00\xff")
	return rows
}

// showBatch and showRow write a row the same way: cells by family and column.
func showBatch(b *storage.RowBatch, i int) string {
	var cells []string
	for j := range b.NumCells(i) {
		c := b.Cell(i, j)
		cells = append(cells, fmt.Sprintf("%s:%q@%d=%q", c.Family, c.Qualifier, c.Timestamp, c.Value))
	}
	slices.Sort(cells)
	return fmt.Sprintf("%q %s", b.Key(i), strings.Join(cells, " "))
}

func showRow(r *replay.Row) string {
	var cells []string
	for _, c := range r.Cells {
		cells = append(cells, fmt.Sprintf("%s:%q@%d=%q", c.Family, c.Qualifier, c.Timestamp, c.Value))
	}
	slices.Sort(cells)
	return fmt.Sprintf("%q %s", r.Key, strings.Join(cells, " "))
}

func scanAll(s *Store, table string, req *storage.ScanRequest) (out []string, err error) {
	sc, err := s.Table(table).Scan(context.Background(), req)
	if err != nil {
		return nil, err
	}
	defer sc.Close()
	var b storage.RowBatch
	for {
		err := sc.Next(&b)
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		for i := range b.Len() {
			out = append(out, showBatch(&b, i))
		}
	}
}

// wanted are the rows of a request.
func wanted(rows []replay.Row, req *storage.ScanRequest) (out []string) {
	for i := range rows {
		key := string(rows[i].Key)
		if slices.ContainsFunc(req.Spans, func(sp storage.Span) bool {
			return key >= string(sp.Start) && (len(sp.End) == 0 || key < string(sp.End))
		}) {
			out = append(out, showRow(&rows[i]))
		}
	}
	if req.Reverse {
		slices.Reverse(out)
	}
	if req.Limit > 0 {
		out = out[:min(len(out), int(req.Limit))]
	}
	return out
}

func scanRequests() []storage.ScanRequest {
	span := func(start, end string) storage.Span { return storage.Span{Start: []byte(start), End: []byte(end)} }
	var out []storage.ScanRequest
	for _, spans := range [][]storage.Span{
		{{}},
		{span("k1", "k3\x00")},
		{span("", "k2"), span("k3", "k4")},
		{span("k0", "k0\x00"), span("k2", "k2\x00"), span("k3\x00\xff", "k3\x00\xff\x00")},
	} {
		for _, limit := range []int64{0, 1, 3} {
			for _, reverse := range []bool{false, true} {
				out = append(out, storage.ScanRequest{Spans: spans, Limit: limit, Reverse: reverse, Versions: 9})
			}
		}
	}
	return out
}

// The rows are those of the request, wherever streams break.
func TestScanBreaks(t *testing.T) {
	t.Run("dialled", func(t *testing.T) { testScanBreaks(t, Config{}) })
	t.Run("pool", func(t *testing.T) { testScanBreaks(t, poolConfig()) })
}

// poolConfig opens a pool of connections, as to the service.
func poolConfig() Config {
	return Config{ClientOptions: []option.ClientOption{option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(insecure.NewCredentials()))}}
}

func testScanBreaks(t *testing.T, config Config) {
	server, s := openReplay(t, config)
	rows := replayRows()
	var wait sync.WaitGroup
	slots := make(chan struct{}, 16)
	check := func(name string, o replay.Options, req storage.ScanRequest, want []string, breaks ...int) {
		server.SetTable(name, replay.Table{Rows: rows, Options: o, Breaks: breaks})
		slots <- struct{}{}
		wait.Add(1)
		go func() {
			defer func() { <-slots; wait.Done() }()
			got, err := scanAll(s, name, &req)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %+v, %+v, breaks %v: %v\ngot  %q\nwant %q", name, o, req, breaks, err, got, want)
			}
			for i, r := range server.Requests(name) {
				if req.Limit > 0 && (r.RowsLimit <= 0 || i > 0 && r.RowsLimit > req.Limit) {
					t.Errorf("%s: request %d has limit %d", name, i, r.RowsLimit)
				}
			}
		}()
	}
	options := []replay.Options{
		{}, {Chunks: 1}, {Chunks: 3},
		{Chunks: 1, SplitRows: true}, {Chunks: 3, SplitRows: true},
		{ValueBytes: 7}, {ValueBytes: 7, Chunks: 2, SplitRows: true, Labels: true},
		{ResetEvery: 2, Chunks: 2, SplitRows: true, ScannedEvery: 2}, {ResetEvery: 1, ValueBytes: 7, Chunks: 1, SplitRows: true, ScannedEvery: 1},
	}
	rng := rand.New(rand.NewPCG(1, 2))
	id := 0
	next := func() string { id++; return fmt.Sprint("t", id) }
	for _, req := range scanRequests() {
		want := wanted(rows, &req)
		for oi, o := range options {
			n := replay.Pieces(rows, o)
			check(next(), o, req, want)
			if testing.Short() && (oi+id)%3 != 0 {
				continue
			}
			for k := range n + 1 {
				check(next(), o, req, want, k)
			}
			check(next(), o, req, want, rng.IntN(n), rng.IntN(n), 0, rng.IntN(n), rng.IntN(n))
		}
	}
	wait.Wait()
}

// MultiGet reads the same way.
func TestGetBreaks(t *testing.T) {
	server, s := openReplay(t, Config{})
	o := replay.Options{Chunks: 2, SplitRows: true, ValueBytes: 5, ResetEvery: 3}
	rows := replayRows()
	var keys [][]byte
	var want []string
	server.SetTable("t", replay.Table{Rows: rows, Options: o})
	all, err := scanAll(s, "t", &storage.ScanRequest{Spans: []storage.Span{{}}})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range rows {
		if i != 1 {
			keys, want = append(keys, r.Key), append(want, all[i])
		}
	}
	for k := range replay.Pieces(rows, o) {
		server.SetTable("t", replay.Table{Rows: rows, Options: o, Breaks: []int{k, 1}})
		var b storage.RowBatch
		b.StartRow([]byte("before"))
		if _, err := s.Table("t").MultiGet(context.Background(), keys, nil, &b); err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range b.Len() - 1 {
			got = append(got, showBatch(&b, i+1))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("break after %d: got %q, want %q", k, got, want)
		}
	}
}

// A connection that somebody else has dialled serves as one of our own, and is closed once.
func TestForeignConnection(t *testing.T) {
	addr := emulator.Start(t)
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(emulatorEnv, "")
	s, err := Open(context.Background(), Config{Project: "p", Instance: "i", ClientOptions: []option.ClientOption{option.WithGRPCConn(conn)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Admin().CreateTable(context.Background(), storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
		t.Fatal(err)
	}
	fill(t, s.Table("t"), 300)
	if got, err := scanAll(s, "t", &storage.ScanRequest{Spans: []storage.Span{{}}}); err != nil || len(got) != 300 {
		t.Errorf("%d rows, %v", len(got), err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if conn.GetState() != connectivity.Shutdown {
		t.Error("the connection is open")
	}
}

// Projections too long for a filter, keys only, filters and limits are exact
// over messages of any cut.
func TestScanWireFilters(t *testing.T) {
	server, s := openReplay(t, Config{})
	o := replay.Options{Chunks: 3, SplitRows: true, ValueBytes: 4}
	rows := benchRows(500, 40, "cells")
	server.SetTable("t", replay.Table{Rows: rows, Options: o, Breaks: []int{777, 3000, 5}})
	var project []storage.Col
	for i := range 20 {
		project = append(project, storage.Col{Family: "0", Qualifier: []byte{0x80, byte(12 + 2*i)}})
	}
	calls := 0
	req := storage.ScanRequest{Spans: []storage.Span{{}}, Project: project, Limit: 90, Filter: func(key []byte, row storage.RowView) (bool, error) {
		calls++
		if v, ok := row.Get("0", project[3].Qualifier); !ok || !strings.HasPrefix(string(v), "a text of ") {
			return false, fmt.Errorf("row %s has %q", key, v)
		}
		if _, ok := row.Get("0", []byte{0x80, 11}); ok {
			return false, fmt.Errorf("row %s has what is not asked for", key)
		}
		return key[len(key)-1]%2 == 0, nil
	}}
	got, err := scanAll(s, "t", &req)
	if err != nil || len(got) != 90 || calls != 179 {
		t.Fatalf("%d rows, %d calls of the filter, %v", len(got), calls, err)
	}
	for i, row := range got {
		if !strings.HasPrefix(row, fmt.Sprintf("%q 0:", rows[2*i].Key)) || strings.Count(row, "0:\"") != 20 {
			t.Fatalf("row %d: %s", i, row)
		}
	}
	req.Filter, req.KeysOnly, req.Limit = nil, true, 0
	if got, err := scanAll(s, "t", &req); err != nil || len(got) != 500 || got[499] != fmt.Sprintf("%q ", rows[499].Key) {
		t.Fatalf("keys only: %d rows, %v", len(got), err)
	}
}

// Reading stops two batches ahead of a consumer that does not ask, and closing
// ends the stream at the server.
func TestScanBackpressure(t *testing.T) {
	server, s := openReplay(t, Config{})
	rows := benchRows(20_000, 5, "cells")
	server.SetTable("t", replay.Table{Raw: replay.Messages(rows, replay.Options{Chunks: 50})})
	sc, err := s.Table("t").Scan(context.Background(), &storage.ScanRequest{Spans: []storage.Span{{}}, BatchRows: 10})
	if err != nil {
		t.Fatal(err)
	}
	var b storage.RowBatch
	for range 5 {
		if err := sc.Next(&b); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(100 * time.Millisecond)
	if n := sc.Stats().RowsRead; n > 5*10+2*10 {
		t.Errorf("%d rows read for 50 that were asked for", n)
	}
	sc.Close()
	for i := 0; server.Active() > 0; i++ {
		if i > 6000 {
			t.Fatal("the stream goes on after Close")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := sc.Next(&b); storage.CodeOf(err) != storage.CodeClosed {
		t.Errorf("after Close: %v", err)
	}
}

// A stream that stalls: what has come is read, Close and cancel are at once,
// and the idle limit ends it.
func TestScanStalls(t *testing.T) {
	server, s := openReplay(t, Config{IdleTimeout: time.Second})
	server.SetTable("t", replay.Table{Raw: replay.Messages(benchRows(8, 5, "cells"), replay.Options{}), Stall: true})
	open := func(ctx context.Context) storage.Scanner {
		sc, err := s.Table("t").Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{{}}})
		if err != nil {
			t.Fatal(err)
		}
		var b storage.RowBatch
		if err := sc.Next(&b); err != nil || b.Len() != 8 {
			t.Fatalf("%d rows, %v", b.Len(), err)
		}
		return sc
	}
	open(context.Background()).Close()

	ctx, cancel := context.WithCancel(context.Background())
	sc := open(ctx)
	cancel()
	if err := sc.Next(&storage.RowBatch{}); storage.CodeOf(err) != storage.CodeCanceled {
		t.Errorf("canceled: %v", err)
	}
	sc.Close()

	sc = open(context.Background())
	if err := sc.Next(&storage.RowBatch{}); storage.CodeOf(err) != storage.CodeDeadlineExceeded {
		t.Errorf("idle: %v", err)
	}
	sc.Close()
}

// A stream that breaks the rules is an error that says so, at once: it is not
// read again, and no row of it is guessed.
func TestScanCorrupt(t *testing.T) {
	server, s := openReplay(t, Config{})
	good := replay.Messages(benchRows(50, 5, "cells"), replay.Options{})[0]
	for name, raw := range map[string][][]byte{
		"cut":      {good[:len(good)-3]},
		"garbage":  {good, []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")},
		"repeated": {good, good},
		"reset":    {good, {0x0a, 0x02, 0x40, 0x01}},
	} {
		server.SetTable("t", replay.Table{Raw: raw})
		_, err := scanAll(s, "t", &storage.ScanRequest{Spans: []storage.Span{{}}})
		if storage.CodeOf(err) != storage.CodeCorruption || len(server.Requests("t")) != 1 {
			t.Errorf("%s: scan: %v after %d requests", name, err, len(server.Requests("t")))
		}
		var b storage.RowBatch
		b.StartRow([]byte("before"))
		_, err = s.Table("t").MultiGet(context.Background(), [][]byte{[]byte("k")}, nil, &b)
		if storage.CodeOf(err) != storage.CodeCorruption || b.Len() != 1 {
			t.Errorf("%s: get: %v, %d rows", name, err, b.Len())
		}
	}
}

// An error of the filter is the scan's, and no reason to read again, whatever it looks like.
func TestScanFilterError(t *testing.T) {
	server, s := openReplay(t, Config{})
	server.SetTable("t", replay.Table{Raw: replay.Messages(benchRows(50, 5, "cells"), replay.Options{})})
	boom := status.Error(codes.Unavailable, "boom")
	_, err := scanAll(s, "t", &storage.ScanRequest{Spans: []storage.Span{{}}, Filter: func(key []byte, _ storage.RowView) (bool, error) { return false, boom }})
	if !errors.Is(err, boom) || len(server.Requests("t")) != 1 {
		t.Fatalf("%v after %d requests", err, len(server.Requests("t")))
	}
}

// A filter that panics ends the scan and not the process.
func TestScanFilterPanics(t *testing.T) {
	server, s := openReplay(t, Config{})
	server.SetTable("t", replay.Table{Raw: replay.Messages(benchRows(50, 5, "cells"), replay.Options{})})
	panics := func(key []byte, _ storage.RowView) (bool, error) { panic("boom") }
	_, err := scanAll(s, "t", &storage.ScanRequest{Spans: []storage.Span{{}}, Filter: panics})
	if err == nil || !strings.Contains(err.Error(), "panic: boom") {
		t.Fatalf("scan: %v", err)
	}
	var keys [][]byte
	for i := range 2 * maxKeysPerRequest {
		keys = append(keys, fmt.Appendf(nil, "%04d", i))
	}
	if _, err := s.Table("t").MultiGet(context.Background(), keys, &storage.ScanRequest{Filter: panics}, &storage.RowBatch{}); err == nil || !strings.Contains(err.Error(), "panic: boom") {
		t.Fatalf("get: %v", err)
	}
}
