package storagetest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/saltsql/saltsql/storage"
)

func testCaps(e *env) {
	c := e.s.Caps()
	if c.Name == "" || c.ScanFanout < 1 || c.MaxKeysPerGet < 1 {
		e.t.Fatalf("%+v", c)
	}
	if c != e.s.Caps() {
		e.t.Fatal("Caps changed")
	}
	if _, err := e.s.Snapshot(e.ctx); !c.Snapshots {
		e.code(err, storage.CodeUnsupported)
	} else {
		e.must(err)
	}
	if _, err := e.s.Batch(); !c.AtomicBatch {
		e.code(err, storage.CodeUnsupported)
	} else {
		e.must(err)
	}
}

// Every batch is a new filling of its RowBatch, however a scanner hands it over,
// and keeps what it holds until the next call.
func testScanFillings(e *env) {
	t := e.table("t")
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf("k%02d f:a@1=%d v:b@1=%d", i, i, i))
	}
	e.put(t, lines...)
	seen := map[uint64]bool{}
	var batches [2]storage.RowBatch
	for range 20 {
		sc, err := t.Scan(e.ctx, &storage.ScanRequest{Spans: spans(","), BatchRows: 7})
		e.must(err)
		var held []string
		for i := 0; ; i++ {
			b := &batches[i%2]
			err := sc.Next(b)
			if other := &batches[(i+1)%2]; i > 0 && fmt.Sprint(text(other, &storage.ScanRequest{})) != fmt.Sprint(held) {
				e.t.Fatalf("batch %d has changed: %q, was %q", i-1, text(other, &storage.ScanRequest{}), held)
			}
			if err == io.EOF {
				break
			}
			e.must(err)
			if f := b.Filling(); seen[f] {
				e.t.Fatalf("filling %d has come before", f)
			} else {
				seen[f] = true
			}
			held = text(b, &storage.ScanRequest{})
		}
		e.must(sc.Close())
	}
}

func testScanSpans(e *env) {
	t := e.table("t")
	e.want(e.all(t))
	e.put(t, "b f:x@1=2", "a f:x@1=1", "d f:x@1=4", "c f:x@1=3", "aa f:x@1=5", "\xff\xff f:x@1=6")
	tests := []struct {
		spans []storage.Span
		want  []string
	}{
		{nil, nil},
		{spans(","), []string{"a", "aa", "b", "c", "d", "\xff\xff"}},
		{spans("a,b"), []string{"a", "aa"}},
		{spans("a\x00,b"), []string{"aa"}},
		{spans(",aa"), []string{"a"}},
		{spans("c,"), []string{"c", "d", "\xff\xff"}},
		{spans("\xff,"), []string{"\xff\xff"}},
		{spans("x,y"), nil},
		{spans("b,b"), nil},
		{spans("a,aa", "b,c", "d,"), []string{"a", "b", "d", "\xff\xff"}},
		{spans("a,aa", "aa,b", "b,b\x00"), []string{"a", "aa", "b"}},
		{spans("0,1", "2,3", "aaa,b", "cc,cd", "d,d\x00", "e,f"), []string{"d"}},
	}
	for _, tt := range tests {
		for limit := range int64(len(tt.want) + 2) {
			for _, batch := range []int{0, 1, 2} {
				for _, reverse := range []bool{false, true} {
					want := slices.Clone(tt.want)
					if reverse {
						slices.Reverse(want)
					}
					if limit > 0 && int(limit) < len(want) {
						want = want[:limit]
					}
					got := e.scan(t, storage.ScanRequest{Spans: tt.spans, KeysOnly: true, Limit: limit, Reverse: reverse, BatchRows: batch})
					if !slices.Equal(got, want) {
						e.t.Fatalf("spans %q limit %d reverse %v: got %q, want %q", tt.spans, limit, reverse, got, want)
					}
				}
			}
		}
	}
}

func testScanBatches(e *env) {
	t := e.table("t")
	var lines, want []string
	for i := range 2500 {
		lines = append(lines, fmt.Sprintf("k%05d f:a@1=%d g:b@1=x", i, i))
		want = append(want, fmt.Sprintf("k%05d f:a@1=%d g:b@1=x", i, i))
	}
	e.put(t, lines...)
	e.want(e.all(t), want...)
	e.want(e.scan(t, storage.ScanRequest{Spans: spans(","), BatchRows: 7, Limit: 1500}), want[:1500]...)
	slices.Reverse(want)
	e.want(e.scan(t, storage.ScanRequest{Spans: spans(","), Reverse: true}), want...)
}

func testScanManySpans(e *env) {
	t := e.table("t")
	var lines, want []string
	var ss []storage.Span
	for i := range 1000 {
		k := fmt.Sprintf("k%04d", i)
		lines = append(lines, k+" f:a@1=1")
		if i%3 == 0 {
			ss = append(ss, span(k+","+k+"\x00"))
			want = append(want, k)
		}
	}
	e.put(t, lines...)
	e.want(e.scan(t, storage.ScanRequest{Spans: ss, KeysOnly: true}), want...)
	slices.Reverse(want)
	e.want(e.scan(t, storage.ScanRequest{Spans: ss, KeysOnly: true, Reverse: true, BatchRows: 10}), want...)
}

// testScanSparseSpans asks for many spans of which few have a row, with rows in
// the gaps between them too.
func testScanSparseSpans(e *env) {
	t := e.table("t")
	rng := rand.New(rand.NewPCG(5, 5))
	var lines []string
	for i := range 4000 {
		if rng.IntN(60) == 0 {
			lines = append(lines, fmt.Sprintf("k%04d f:a@1=1", i))
		}
	}
	e.put(t, lines...)
	for _, first := range []int{0, 700, 3900} {
		for _, open := range []bool{false, true} {
			var ss []storage.Span
			var want []string
			for i := first; i < 4000; i += 3 {
				ss = append(ss, span(fmt.Sprintf("k%04d,k%04d", i, i+2)))
			}
			if open {
				ss[len(ss)-1].End = nil
			}
			for _, l := range lines {
				i, _ := strconv.Atoi(l[1:5])
				if i >= first && ((i-first)%3 < 2 || open && i >= 3999) {
					want = append(want, l[:5])
				}
			}
			e.want(e.scan(t, storage.ScanRequest{Spans: ss, KeysOnly: true}), want...)
			e.want(e.scan(t, storage.ScanRequest{Spans: ss, KeysOnly: true, Limit: 2}), want[:min(2, len(want))]...)
			slices.Reverse(want)
			e.want(e.scan(t, storage.ScanRequest{Spans: ss, KeysOnly: true, Reverse: true}), want...)
		}
	}
}

func testScanProjection(e *env) {
	t := e.table("t")
	e.put(t, "a f:x@1=1 f:y@1=2 g:x@1=3", "b f:y@2=4", "c g:x@1=", "d v:@1=5 f:z@1=6")
	tests := []struct {
		project []storage.Col
		want    []string
	}{
		{nil, []string{"a f:x@1=1 f:y@1=2 g:x@1=3", "b f:y@2=4", "c g:x@1=", "d f:z@1=6 v:@1=5"}},
		{cols("f:x"), []string{"a f:x@1=1"}},
		{cols("g:x"), []string{"a g:x@1=3", "c g:x@1="}},
		{cols("g:x", "f:y"), []string{"a f:y@1=2 g:x@1=3", "b f:y@2=4", "c g:x@1="}},
		{cols("v:"), []string{"d v:@1=5"}},
		{cols("f:x", "f:none", "f:y", "f:z", "g:none"), []string{"a f:x@1=1 f:y@1=2", "b f:y@2=4", "d f:z@1=6"}},
		{cols("f:nope"), nil},
	}
	for _, tt := range tests {
		e.want(e.scan(t, storage.ScanRequest{Spans: spans(","), Project: tt.project}), tt.want...)
		e.want(e.get(t, storage.ScanRequest{Project: tt.project}, "a", "b", "c", "d"), tt.want...)
		if len(tt.project) > 0 {
			every := []string{"a", "b", "c", "d"}
			for _, l := range tt.want {
				every[l[0]-'a'] = l
			}
			with := e.projected(t, storage.ScanRequest{Spans: spans(","), Project: tt.project, EveryRow: true})
			e.want(e.projected(t, storage.ScanRequest{Spans: spans(","), Project: tt.project, EveryRow: true, ValuesOnly: true}), with...)
			e.want(e.scan(t, storage.ScanRequest{Spans: spans(","), Project: tt.project, EveryRow: true}), every...)
			e.want(e.get(t, storage.ScanRequest{Project: tt.project, EveryRow: true}, "a", "b", "c", "d"), every...)
			e.want(e.scan(t, storage.ScanRequest{Spans: spans(","), Project: tt.project, EveryRow: true, KeysOnly: true}), "a", "b", "c", "d")
		}
		var keys []string
		for _, l := range tt.want {
			keys = append(keys, l[:1])
		}
		e.want(e.scan(t, storage.ScanRequest{Spans: spans(","), Project: tt.project, KeysOnly: true}), keys...)
		e.want(e.get(t, storage.ScanRequest{Project: tt.project, KeysOnly: true}, "a", "b", "c", "d"), keys...)
		if len(keys) > 1 {
			e.want(e.scan(t, storage.ScanRequest{Spans: spans(","), Project: tt.project, KeysOnly: true, Limit: 1, Reverse: true}), keys[len(keys)-1])
			e.want(e.scan(t, storage.ScanRequest{Spans: spans(","), Project: tt.project, Limit: 2}), tt.want[:2]...)
		}
	}
}

func testScanVersions(e *env) {
	t := e.table("t")
	e.put(t, "a v:x@1=1 v:x@3=3 v:x@2=2 v:y@2=9", "b v:x@5=5")
	tests := []struct {
		versions int
		minMS    int64
		want     []string
	}{
		{0, 0, []string{"a v:x@3=3 v:y@2=9", "b v:x@5=5"}},
		{1, 0, []string{"a v:x@3=3 v:y@2=9", "b v:x@5=5"}},
		{2, 0, []string{"a v:x@3=3 v:x@2=2 v:y@2=9", "b v:x@5=5"}},
		{9, 0, []string{"a v:x@3=3 v:x@2=2 v:x@1=1 v:y@2=9", "b v:x@5=5"}},
		{9, 2, []string{"a v:x@3=3 v:x@2=2 v:y@2=9", "b v:x@5=5"}},
		{9, 3, []string{"a v:x@3=3", "b v:x@5=5"}},
		{1, 4, []string{"b v:x@5=5"}},
		{1, 6, nil},
	}
	for _, tt := range tests {
		req := storage.ScanRequest{Spans: spans(","), Versions: tt.versions, MinTS: tt.minMS * 1000}
		e.want(e.scan(t, req), tt.want...)
		e.want(e.get(t, req, "a", "b"), tt.want...)
		keys := req
		keys.KeysOnly = true
		if got := e.scan(t, keys); len(got) != len(tt.want) {
			e.t.Fatalf("keys only, %+v: %q", tt, got)
		}
	}
}

func testScanFilter(e *env) {
	t := e.table("t")
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprintf("k%02d f:n@1=%d g:m@1=x", i, i%10))
	}
	e.put(t, lines...)
	seven := func(key []byte, row storage.RowView) (bool, error) {
		v, ok := row.Get("f", []byte("n"))
		if _, ok := row.Get("f", []byte("none")); ok {
			return false, errors.New("a column that is not there")
		}
		return ok && string(v) == "7", nil
	}
	e.want(e.scan(t, storage.ScanRequest{Spans: spans(","), Filter: seven, Limit: 3}),
		"k07 f:n@1=7 g:m@1=x", "k17 f:n@1=7 g:m@1=x", "k27 f:n@1=7 g:m@1=x")
	e.want(e.scan(t, storage.ScanRequest{Spans: spans(","), Filter: seven, Reverse: true, Limit: 2, Project: cols("f:n")}),
		"k97 f:n@1=7", "k87 f:n@1=7")
	e.want(e.get(t, storage.ScanRequest{Filter: seven}, "k07", "k08", "k17"), "k07 f:n@1=7 g:m@1=x", "k17 f:n@1=7 g:m@1=x")
	byKey := func(key []byte, _ storage.RowView) (bool, error) { return bytes.HasSuffix(key, []byte("9")), nil }
	e.want(e.scan(t, storage.ScanRequest{Spans: spans("k0,k3"), Filter: byKey, KeysOnly: true}), "k09", "k19", "k29")
	none := func([]byte, storage.RowView) (bool, error) { return false, nil }
	e.want(e.scan(t, storage.ScanRequest{Spans: spans(","), Filter: none}))
	// a hint drops nothing that satisfies it
	hint := &storage.Hint{Col: col("f:n"), Lo: []byte("7"), Hi: []byte("7")}
	e.want(e.scan(t, storage.ScanRequest{Spans: spans("k0,k2"), Filter: seven, Hint: hint, KeysOnly: false, Project: cols("f:n")}),
		"k07 f:n@1=7", "k17 f:n@1=7")

	boom := errors.New("boom")
	fail := func(key []byte, _ storage.RowView) (bool, error) {
		if string(key) == "k05" {
			return false, boom
		}
		return true, nil
	}
	got, err := e.tryScan(t, &storage.ScanRequest{Spans: spans(","), Filter: fail, BatchRows: 1})
	if !errors.Is(err, boom) || len(got) > 5 {
		e.t.Fatalf("filter's error: %d rows, %v", len(got), err)
	}
	var b storage.RowBatch
	b.StartRow([]byte("kept"))
	if _, err := t.MultiGet(e.ctx, byteKeys("k04", "k05"), &storage.ScanRequest{Filter: fail}, &b); !errors.Is(err, boom) || b.Len() != 1 {
		e.t.Fatalf("filter's error: %d rows, %v", b.Len(), err)
	}
}

func testScanBytes(e *env) {
	t := e.table("t")
	big := bytes.Repeat([]byte{7}, 1<<20)
	for i := range 12 {
		e.must(t.Mutate(e.ctx, []storage.RowMutation{{Key: []byte{byte('a' + i)}, Mutations: []storage.Mutation{
			{Op: storage.SetCell, Family: "f", Qualifier: []byte("q"), Value: big}}}}, storage.WriteOptions{NoSync: true}))
	}
	sc, err := t.Scan(e.ctx, &storage.ScanRequest{Spans: spans(",")})
	e.must(err)
	defer sc.Close()
	var b storage.RowBatch
	n := 0
	for {
		err := sc.Next(&b)
		if err == io.EOF {
			break
		}
		e.must(err)
		if b.Bytes() > storage.MaxBatchBytes+len(big)+100 {
			e.t.Fatalf("a batch of %d bytes", b.Bytes())
		}
		for i := range b.Len() {
			if v, ok := b.Value(i, "f", []byte("q")); !ok || !bytes.Equal(v, big) {
				e.t.Fatal("value")
			}
		}
		n += b.Len()
	}
	if n != 12 {
		e.t.Fatalf("%d rows", n)
	}
}

func testScanRequests(e *env) {
	t := e.table("t")
	for _, req := range []storage.ScanRequest{
		{Spans: spans("b,a")}, {Spans: spans("a,c", "b,d")}, {Spans: spans("b,c", "a,b")},
		{Spans: spans(","), Limit: -1}, {Spans: spans(","), Versions: -1}, {Spans: spans(","), BatchRows: 1025},
	} {
		_, err := t.Scan(e.ctx, &req)
		e.code(err, storage.CodeInvalidArgument)
	}
}

func testScanStats(e *env) {
	t := e.table("t")
	var lines []string
	for i := range 50 {
		lines = append(lines, fmt.Sprintf("k%02d f:a@1=1", i))
	}
	e.put(t, lines...)
	even := func(key []byte, _ storage.RowView) (bool, error) { return key[2]%2 == 0, nil }
	sc, err := t.Scan(e.ctx, &storage.ScanRequest{Spans: spans(","), Filter: even})
	e.must(err)
	var b storage.RowBatch
	n := 0
	for sc.Next(&b) == nil {
		n += b.Len()
	}
	e.must(sc.Close())
	e.must(sc.Close())
	st := sc.Stats()
	if n != 25 || st.RowsRead != 50 || st.Calls < 1 || st.Bytes < 50*4 {
		e.t.Fatalf("%d rows, %+v", n, st)
	}
	if err := sc.Next(&b); err == nil {
		e.t.Fatal("Next after Close gave rows")
	}
}
