package storagetest

import (
	"fmt"
	"strings"

	"github.com/saltsql/saltsql/storage"
)

func testMultiGet(e *env) {
	t := e.table("t")
	e.put(t, "a f:x@1=1", "b f:x@1=2 g:y@1=z", "d f:x@1=4")
	e.want(e.get(t, storage.ScanRequest{}))
	e.want(e.get(t, storage.ScanRequest{}, "b"), "b f:x@1=2 g:y@1=z")
	e.want(e.get(t, storage.ScanRequest{}, "c"))
	e.want(e.get(t, storage.ScanRequest{}, "a", "b", "c", "d", "e"), "a f:x@1=1", "b f:x@1=2 g:y@1=z", "d f:x@1=4")
	// spans, limit and direction do not apply
	e.want(e.get(t, storage.ScanRequest{Limit: 1, Reverse: true, Spans: spans("x,y")}, "a", "d"), "a f:x@1=1", "d f:x@1=4")
	// no row has these keys
	e.want(e.get(t, storage.ScanRequest{}, "", "a", strings.Repeat("b", 5000)), "a f:x@1=1")
	e.want(e.get(t, storage.ScanRequest{}, ""))

	var b storage.RowBatch
	b.StartRow([]byte("before"))
	calls, err := t.MultiGet(e.ctx, byteKeys("a"), nil, &b)
	e.must(err)
	if calls != 1 || b.Len() != 2 || string(b.Key(0)) != "before" || string(b.Key(1)) != "a" {
		e.t.Fatalf("%d calls, %d rows", calls, b.Len())
	}
	for _, keys := range [][][]byte{byteKeys("b", "a"), byteKeys("a", "a")} {
		_, err = t.MultiGet(e.ctx, keys, nil, &b)
		e.code(err, storage.CodeInvalidArgument)
	}
}

func testMultiGetMany(e *env) {
	t := e.table("t")
	var lines, keys, want []string
	for i := range 1000 {
		k := fmt.Sprintf("k%05d", i)
		keys = append(keys, k)
		if i%3 != 0 {
			lines = append(lines, k+" f:x@1=1")
			want = append(want, k+" f:x@1=1")
		}
	}
	e.put(t, lines...)
	e.want(e.get(t, storage.ScanRequest{}, keys...), want...)
	var near []string
	for i := 500; i < 520; i++ {
		near = append(near, keys[i])
	}
	if got := e.get(t, storage.ScanRequest{KeysOnly: true}, near...); len(got) != 13 {
		e.t.Fatalf("%q", got)
	}
}
