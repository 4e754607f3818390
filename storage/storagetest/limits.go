package storagetest

import (
	"bytes"
	"errors"
	"strings"

	"github.com/saltsql/saltsql/storage"
)

func testLimits(e *env) {
	t := e.table("t")
	key := func(n int) []byte { return bytes.Repeat([]byte{'k'}, n) }
	cell := func(q, v int) []storage.Mutation {
		return []storage.Mutation{{Op: storage.SetCell, Family: "f", Qualifier: key(q), Value: key(v)}}
	}
	mutate := func(k []byte, m []storage.Mutation) error {
		return t.Mutate(e.ctx, []storage.RowMutation{{Key: []byte("ok"), Mutations: cell(1, 1)}, {Key: k, Mutations: m}}, storage.WriteOptions{})
	}
	tooLarge := func(err error, limit string, limitMax, size int64) {
		e.t.Helper()
		e.code(err, storage.CodeTooLarge)
		var se *storage.Error
		if errors.As(err, &se); se.Limit != limit || se.Max != limitMax || se.Size != size {
			e.t.Fatalf("%+v", se)
		}
	}
	tooLarge(mutate(key(4097), cell(1, 1)), "row key", 4096, 4097)
	tooLarge(mutate(key(1), cell(16385, 1)), "column qualifier", 16384, 16385)
	tooLarge(mutate(key(1), cell(1, 100<<20+1)), "cell", 100<<20, 100<<20+1)
	tooLarge(mutate(key(1), make([]storage.Mutation, 100_001)), "row mutation", 100_000, 100_001)
	_, err := t.CheckAndMutate(e.ctx, &storage.CondMutation{Key: key(4097), Then: cell(1, 1)})
	tooLarge(err, "row key", 4096, 4097)
	e.code(mutate(nil, cell(1, 1)), storage.CodeInvalidArgument)
	e.code(mutate(key(1), []storage.Mutation{{Op: storage.SetCell, Family: "f", Timestamp: 1500}}), storage.CodeInvalidArgument)
	e.code(mutate(key(1), []storage.Mutation{{Op: storage.SetCell, Family: "f", Timestamp: -1000}}), storage.CodeInvalidArgument)
	e.want(e.all(t)) // a refused call writes nothing

	e.must(t.Mutate(e.ctx, []storage.RowMutation{{Key: key(4096), Mutations: cell(16384, 10)}}, storage.WriteOptions{}))
	e.want(e.scan(t, storage.ScanRequest{Spans: spans(","), KeysOnly: true}), strings.Repeat("k", 4096))
	e.want(e.get(t, storage.ScanRequest{KeysOnly: true}, strings.Repeat("k", 4096)), strings.Repeat("k", 4096))
}

// Cells above gRPC's default message size.
func testLargeCells(e *env) {
	t := e.table("t")
	big := bytes.Repeat([]byte("0123456789abcdef"), 10<<20/16)
	put := []storage.Mutation{{Op: storage.SetCell, Family: "f", Qualifier: []byte("q"), Value: big}}
	e.must(t.Mutate(e.ctx, []storage.RowMutation{{Key: []byte("a"), Mutations: put}}, storage.WriteOptions{NoSync: true}))
	matched, err := t.CheckAndMutate(e.ctx, &storage.CondMutation{Key: []byte("b"), Cond: storage.Cond{Op: storage.RowAbsent}, Then: put})
	e.must(err)
	if !matched {
		e.t.Fatal("not matched")
	}
	var b storage.RowBatch
	_, err = t.MultiGet(e.ctx, byteKeys("a", "b"), nil, &b)
	e.must(err)
	for i := range b.Len() {
		if v, _ := b.Value(i, "f", []byte("q")); !bytes.Equal(v, big) {
			e.t.Fatalf("row %d: %d bytes", i, len(v))
		}
	}
	if b.Len() != 2 {
		e.t.Fatalf("%d rows", b.Len())
	}
}
