package storagetest

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"github.com/saltsql/saltsql/storage"
)

func testMutate(e *env) {
	steps := []struct {
		rows []string
		want []string
	}{
		{[]string{"a f:x@1=1 f:y@1=2"}, []string{"a f:x@1=1 f:y@1=2"}},
		{[]string{"a f:x@2=3"}, []string{"a f:x@2=3 f:y@1=2"}},       // part of a row
		{[]string{"a f:x@2=4"}, []string{"a f:x@2=4 f:y@1=2"}},       // same timestamp
		{[]string{"a g:z@1="}, []string{"a f:x@2=4 f:y@1=2 g:z@1="}}, // empty value
		{[]string{"a -f:y"}, []string{"a f:x@2=4 g:z@1="}},           // a cell
		{[]string{"a -f:none -v"}, []string{"a f:x@2=4 g:z@1="}},     // nothing there
		{[]string{"a - f:y@1=5"}, []string{"a f:y@1=5"}},             // replace
		{[]string{"a f:x@9=1 -f f:q@3=2"}, []string{"a f:q@3=2"}},    // order within a row
		{[]string{"a f:x@1=1 f:x@2=2 -f:x f:x@1=3"}, []string{"a f:q@3=2 f:x@1=3"}},
		{[]string{"a -"}, nil},
		{[]string{"a -", "none -f", "none -f:x"}, nil},
		{[]string{"a f:x@5=1"}, []string{"a f:x@5=1"}},
		{[]string{"a -f:x"}, nil},                          // the last cell takes the row along
		{[]string{"b f:x@1=1 -"}, nil},                     // written and gone at once
		{[]string{"a f:x@1=old"}, []string{"a f:x@1=old"}}, // deletes do not mask older timestamps
		// rows of one key, in order
		{[]string{"a f:x@1=1", "b f:x@1=1", "a - f:y@1=2", "b g:y@1=2", "a f:z@1=3"},
			[]string{"a f:y@1=2 f:z@1=3", "b f:x@1=1 g:y@1=2"}},
		{[]string{"b -", "a -", "b f:n@1=1"}, []string{"b f:n@1=1"}},
	}
	t := e.table("t")
	for _, st := range steps {
		e.put(t, st.rows...)
		e.want(e.all(t), st.want...)
	}
	e.must(t.Mutate(e.ctx, nil, storage.WriteOptions{}))
	e.must(t.Mutate(e.ctx, rows("n f:x@1=1"), storage.WriteOptions{NoSync: true}))
	e.want(e.get(t, storage.ScanRequest{}, "n"), "n f:x@1=1")
	e.code(t.Mutate(e.ctx, rows("n "), storage.WriteOptions{}), storage.CodeInvalidArgument)
}

func testMutateMany(e *env) {
	t := e.table("t")
	const n = 5000
	var ms []storage.RowMutation
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		ms = append(ms, rows(fmt.Sprintf("k%05d - f:a@1=%d f:b@1=x", i, i))...)
	}
	e.must(t.Mutate(e.ctx, ms, storage.WriteOptions{}))
	got := e.all(t)
	if len(got) != n {
		e.t.Fatalf("%d rows", len(got))
	}
	for i, l := range got {
		if want := fmt.Sprintf("k%05d f:a@1=%d f:b@1=x", i, i); l != want {
			e.t.Fatalf("got %q, want %q", l, want)
		}
	}
	ms = ms[:0]
	for i := range n {
		if i%5 == 0 {
			ms = append(ms, rows(fmt.Sprintf("k%05d f:b@2=y", i))...)
		} else {
			ms = append(ms, rows(fmt.Sprintf("k%05d -", i))...)
		}
	}
	e.must(t.Mutate(e.ctx, ms, storage.WriteOptions{}))
	got = e.all(t)
	if len(got) != n/5 || got[1] != "k00005 f:a@1=5 f:b@2=y" {
		e.t.Fatalf("%d rows, %q", len(got), got[1])
	}
}

func testMutateOldTimestamp(e *env) {
	t := e.table("t")
	e.put(t, "a f:x@5=new v:x@5=new")
	e.put(t, "a f:x@3=old v:x@3=old")
	e.want(e.all(t), "a f:x@5=new v:x@5=new")
	e.want(e.scan(t, storage.ScanRequest{Spans: spans(","), Versions: 2, Project: cols("v:x")}), "a v:x@5=new v:x@3=old")
	e.put(t, "a -v:x") // all versions
	e.want(e.all(t), "a f:x@5=new")
}

// What is to be the latest is, whatever stood in its column with a later time.
func testMutateLatest(e *env) {
	t := e.table("t")
	latest := func(key, ms string) []storage.RowMutation {
		r := rows(key + " " + ms)
		for i := range r[0].Mutations {
			r[0].Mutations[i].Latest = r[0].Mutations[i].Op == storage.SetCell
		}
		return r
	}
	e.put(t, "a f:x@5=ahead f:x@2=before f:y@5=stays v:x@7=ahead v:x@1=before")
	e.must(t.Mutate(e.ctx, latest("a", "f:x@3=now v:x@3=now"), storage.WriteOptions{}))
	e.want(e.all(t), "a f:x@3=now f:y@5=stays v:x@3=now")
	e.want(e.scan(t, storage.ScanRequest{Spans: spans(","), Versions: 3, Project: cols("v:x")}), "a v:x@3=now v:x@1=before")
	e.must(t.Mutate(e.ctx, latest("a", "f:x@3=same"), storage.WriteOptions{}))
	e.must(t.Mutate(e.ctx, latest("a", "-f:y f:z@1=1 f:z@2=2"), storage.WriteOptions{}))
	e.want(e.all(t), "a f:x@3=same f:z@2=2 v:x@3=now")
	e.must(t.Mutate(e.ctx, latest("new", "f:x@4=new"), storage.WriteOptions{}))
	e.want(e.get(t, storage.ScanRequest{}, "new"), "new f:x@4=new")
	for i, at := range []string{"3", "2", "2"} { // the second does not find it at 3
		ok, err := t.CheckAndMutate(e.ctx, &storage.CondMutation{
			Key:  []byte("a"),
			Cond: storage.Cond{Op: storage.CellTSEquals, Family: "f", Qualifier: []byte("x"), Timestamp: 3000},
			Then: latest("a", "f:x@"+at+"=then")[0].Mutations,
			Else: latest("a", "f:x@1=else")[0].Mutations,
		})
		e.must(err)
		if ok != (i < 2) {
			e.t.Fatalf("test %d: %v", i, ok)
		}
	}
	e.want(e.get(t, storage.ScanRequest{Project: cols("f:x")}, "a"), "a f:x@1=else")
}

// A row of very many cells, given in no order.
func testMutateWide(e *env) {
	t := e.table("t")
	const n = 2000
	row := storage.RowMutation{Key: []byte("wide")}
	for _, i := range rand.New(rand.NewPCG(3, 4)).Perm(n) {
		row.Mutations = append(row.Mutations, storage.Mutation{Op: storage.SetCell, Family: "f",
			Qualifier: fmt.Appendf(nil, "q%05d", i), Timestamp: int64(i) * 1000, Value: fmt.Appendf(nil, "%d", i)})
	}
	e.must(t.Mutate(e.ctx, []storage.RowMutation{row}, storage.WriteOptions{}))
	var b storage.RowBatch
	_, err := t.MultiGet(e.ctx, byteKeys("wide"), nil, &b)
	e.must(err)
	if b.Len() != 1 || b.NumCells(0) != n {
		e.t.Fatalf("%d rows", b.Len())
	}
	for i := range n {
		if v, ok := b.Value(0, "f", fmt.Appendf(nil, "q%05d", i)); !ok || string(v) != fmt.Sprint(i) {
			e.t.Fatalf("cell %d: %q", i, v)
		}
	}
	e.want(e.get(t, storage.ScanRequest{Project: cols("f:q00042", "f:q01999")}, "wide"), "wide f:q00042@42=42 f:q01999@1999=1999")
}

func testAnyBytes(e *env) {
	t := e.table("t")
	var all [256]byte
	for i := range all {
		all[i] = byte(i)
	}
	var ms []storage.RowMutation
	for i := range 256 {
		key := append([]byte{byte(i)}, all[:]...)
		ms = append(ms, storage.RowMutation{Key: key, Mutations: []storage.Mutation{
			{Op: storage.SetCell, Family: "f", Qualifier: all[:], Value: key},
			{Op: storage.SetCell, Family: "f", Qualifier: []byte{byte(i)}, Timestamp: 1 << 50 / 1000 * 1000, Value: all[i:]},
		}})
	}
	e.must(t.Mutate(e.ctx, ms, storage.WriteOptions{}))
	var b storage.RowBatch
	sc, err := t.Scan(e.ctx, &storage.ScanRequest{Spans: spans(",")})
	e.must(err)
	defer sc.Close()
	for n := 0; n < 256; n += b.Len() {
		e.must(sc.Next(&b))
		for i := range b.Len() {
			key := ms[n+i].Key
			v1, _ := b.Value(i, "f", all[:])
			v2, _ := b.Value(i, "f", key[:1])
			if !bytes.Equal(b.Key(i), key) || !bytes.Equal(v1, key) || !bytes.Equal(v2, all[n+i:]) {
				e.t.Fatalf("row %d", n+i)
			}
		}
	}
	got := e.scan(t, storage.ScanRequest{Spans: []storage.Span{{Start: ms[10].Key, End: ms[12].Key}}, KeysOnly: true})
	e.want(got, string(ms[10].Key), string(ms[11].Key))
}
