package bigtable

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/childproc"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/bigtable/replay"
)

// Row layouts of one logical row of n columns: a cell for each with the marker
// cell that every row has or without; all in one cell; all in one cell of
// SINGLE_CELL_ARRAY_WITH_OFFSETS, with the marker cell.
var benchTables = []struct {
	name    string
	rows    int
	columns int
	layout  string
}{
	{"cells-5", 100_000, 5, "cells"},
	{"cells-5-marker", 100_000, 5, "cells+marker"},
	{"packed-5", 100_000, 5, "packed"},
	{"array-5-marker", 100_000, 5, "packed+marker"},
	{"cells-50", 10_000, 50, "cells"},
	{"packed-50", 10_000, 50, "packed"},
	{"array-50-marker", 10_000, 50, "packed+marker"},
}

// benchRows makes rows of about 15 bytes of payload a column: 8-byte numbers
// and texts in turn.
func benchRows(n, columns int, layout string) []replay.Row {
	rows := make([]replay.Row, n)
	const ts = 1_700_000_000_000_000
	for i := range rows {
		r := &rows[i]
		r.Key = fmt.Appendf(nil, "%016d", i)
		if strings.HasSuffix(layout, "+marker") {
			r.Cells = append(r.Cells, replay.Cell{Family: "0", Qualifier: []byte{0, 0, 0, 0}, Timestamp: ts, Value: []byte("x")})
		}
		var packed []byte
		for c := range columns {
			value := []byte("12345678")
			if c%2 == 1 {
				value = fmt.Appendf(nil, "a text of %12d", i+c)
			}
			if strings.HasPrefix(layout, "cells") {
				r.Cells = append(r.Cells, replay.Cell{Family: "0", Qualifier: []byte{0x80, byte(11 + c)}, Timestamp: ts, Value: value})
			} else {
				packed = append(packed, value...)
			}
		}
		if packed != nil {
			packed = append(packed, make([]byte, 2*(columns+11)+9)...) // offsets, position, count, version
			r.Cells = append(r.Cells, replay.Cell{Family: "0", Qualifier: []byte("1"), Timestamp: ts, Value: packed})
		}
	}
	return rows
}

const replayProcess = "SALTSQL_REPLAY_PROCESS"

// TestReplayProcess is the server of the benchmarks, in a process of its own so
// that their CPU time is the client's.
func TestReplayProcess(t *testing.T) {
	if os.Getenv(replayProcess) == "" {
		t.Skip("it is started by the benchmarks")
	}
	s := replay.New()
	for _, bt := range benchTables {
		s.SetTable(bt.name, replay.Table{Raw: replay.Messages(benchRows(bt.rows, bt.columns, bt.layout), replay.Options{})})
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	fmt.Printf("\naddr %s\n", l.Addr())
	io.Copy(io.Discard, os.Stdin) // until the parent ends
	s.Stop()
}

// startReplayProcess gives the address of a server with benchTables.
func startReplayProcess(b *testing.B) string {
	b.Helper()
	cmd := childproc.Command(os.Args[0], "-test.run=^TestReplayProcess$")
	cmd.Env = append(os.Environ(), replayProcess+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if addr, ok := strings.CutPrefix(lines.Text(), "addr "); ok {
			go io.Copy(io.Discard, out)
			return addr
		}
	}
	b.Fatal("the server has not started")
	return ""
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkScan reads a stream: CPU time and allocations of the client for each
// row.
func BenchmarkScan(b *testing.B) {
	s, err := Open(context.Background(), Config{Project: "p", Instance: "i", Emulator: startReplayProcess(b)})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for _, bt := range benchTables {
		const sample = 1000
		wire := 0
		for _, m := range replay.Messages(benchRows(sample, bt.columns, bt.layout), replay.Options{}) {
			wire += len(m)
		}
		measure := func(name string, scan func() int) {
			b.Run(bt.name+"/"+name, func(b *testing.B) {
				scan() // connected and grown
				runtime.GC()
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				cpu := cpuTime(b)
				b.ResetTimer()
				for range b.N {
					if n := scan(); n != bt.rows {
						b.Fatalf("%d rows", n)
					}
				}
				b.StopTimer()
				cpu = cpuTime(b) - cpu
				runtime.ReadMemStats(&after)
				rows := float64(b.N) * float64(bt.rows)
				b.ReportMetric(float64(cpu)/rows, "cpu-ns/row")
				b.ReportMetric(float64(b.Elapsed())/rows, "wall-ns/row")
				b.ReportMetric(float64(after.Mallocs-before.Mallocs)/rows, "allocs/row")
				b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/rows, "B/row")
				b.ReportMetric(float64(wire)/sample, "wire-B/row")
				b.ReportMetric(0, "ns/op")
			})
		}
		var batch storage.RowBatch
		measure("scan", func() int {
			sc, err := s.Table(bt.name).Scan(context.Background(), &storage.ScanRequest{Spans: []storage.Span{{}}})
			if err != nil {
				b.Fatal(err)
			}
			defer sc.Close()
			n := 0
			for {
				err := sc.Next(&batch)
				if err == io.EOF {
					return n
				}
				if err != nil {
					b.Fatal(err)
				}
				n += batch.Len()
			}
		})
	}
}

// BenchmarkPointRead reads one row at a time, the server in this process.
func BenchmarkPointRead(b *testing.B) {
	server, s := openReplay(b, Config{})
	rows := benchRows(1, 5, "cells+marker")
	server.SetTable("t", replay.Table{Raw: replay.Messages(rows, replay.Options{})})
	req := &storage.ScanRequest{Limit: 1, Spans: []storage.Span{{Start: rows[0].Key, End: append([]byte(string(rows[0].Key)), 0)}}}
	var batch storage.RowBatch
	b.Run("MultiGet", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			batch.Reset()
			if _, err := s.Table("t").MultiGet(context.Background(), [][]byte{rows[0].Key}, req, &batch); err != nil || batch.Len() != 1 {
				b.Fatal(err)
			}
		}
	})
	b.Run("Scan", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			sc, err := s.Table("t").Scan(context.Background(), req)
			if err != nil {
				b.Fatal(err)
			}
			if err := sc.Next(&batch); err != nil || batch.Len() != 1 {
				b.Fatal(err)
			}
			if err := sc.Next(&batch); err != io.EOF {
				b.Fatal(err)
			}
			sc.Close()
		}
	})
}
