package storagetest

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/storage"
)

var (
	randomSeed = flag.Uint64("storage.seed", 0, "seed of the random storage test; 0 picks one")
	randomOps  = flag.Int("storage.ops", 400, "operations of the random storage test")
)

// testRandom compares a store with the model over random operations. Where the
// contract leaves room, it stays inside: reads that end before a timestamp ask
// for columns of many versions only, and no column gets more versions than its
// family keeps.
func testRandom(e *env) {
	seed := *randomSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	ops := *randomOps
	if testing.Short() {
		ops /= 4
	}
	r := &random{env: e, Rand: rand.New(rand.NewPCG(seed, 1)), t: e.table("t"), m: model{}}
	defer func() {
		if e.t.Failed() {
			e.t.Logf("repeat with -storage.seed=%d; last operations:\n  %s", seed, strings.Join(r.log[max(0, len(r.log)-8):], "\n  "))
		}
	}()
	for range ops {
		r.step()
	}
	e.want(e.all(r.t), r.m.scan(&storage.ScanRequest{Spans: spans(",")}, anyKey)...)
}

type random struct {
	*env
	*rand.Rand
	t   storage.Table
	m   model
	ts  int64 // ms; grows, so that families of one version agree on what is latest
	log []string
}

func anyKey(string) bool { return true }

func (r *random) note(format string, args ...any) {
	r.log = append(r.log, fmt.Sprintf(format, args...))
}

func (r *random) key() string {
	n := 1 + r.IntN(3)
	b := make([]byte, n)
	for i := range b {
		b[i] = "\x00abc\xff"[r.IntN(5)]
	}
	return string(b)
}

var randomCols = []string{"f:", "f:a", "f:b", "g:a", "g:ab", "v:a", "v:b"}

func (r *random) mutations(key string) []storage.Mutation {
	r.ts += int64(r.IntN(2))
	var out []storage.Mutation
	for range 1 + r.IntN(4) {
		c := col(randomCols[r.IntN(len(randomCols))])
		switch n := r.IntN(20); {
		case n == 0:
			out = append(out, storage.Mutation{Op: storage.DeleteRow})
		case n == 1:
			out = append(out, storage.Mutation{Op: storage.DeleteFamily, Family: c.Family})
		case n < 4:
			out = append(out, storage.Mutation{Op: storage.DeleteCell, Family: c.Family, Qualifier: c.Qualifier})
		default:
			ts := r.ts
			if c.Family == "v" && r.IntN(3) == 0 {
				ts -= min(ts, int64(r.IntN(4)))
			}
			if len(r.m[key][c.Family+":"+string(c.Qualifier)]) > 40 {
				out = append(out, storage.Mutation{Op: storage.DeleteCell, Family: c.Family, Qualifier: c.Qualifier})
			}
			out = append(out, storage.Mutation{Op: storage.SetCell, Family: c.Family, Qualifier: c.Qualifier,
				Timestamp: ts * 1000, Value: []byte(strings.Repeat("x", r.IntN(3)) + intText(int64(r.IntN(100))))})
		}
	}
	return out
}

func (r *random) spans() []storage.Span {
	if r.IntN(4) == 0 {
		return []storage.Span{{}}
	}
	ends := make([]string, 2*(1+r.IntN(3)))
	for i := range ends {
		ends[i] = r.key()
	}
	sort.Strings(ends)
	var out []storage.Span
	for i := 0; i < len(ends); i += 2 {
		if ends[i] < ends[i+1] {
			out = append(out, storage.Span{Start: []byte(ends[i]), End: []byte(ends[i+1])})
		}
	}
	if len(out) > 0 && r.IntN(4) == 0 {
		out[len(out)-1].End = nil
	}
	return out
}

func (r *random) request() storage.ScanRequest {
	req := storage.ScanRequest{KeysOnly: r.IntN(4) == 0, Versions: r.IntN(3)}
	from := 0
	if r.IntN(3) == 0 {
		req.MinTS = (r.ts - int64(r.IntN(20))) * 1000
		req.MinTS = max(req.MinTS, 0)
	}
	if req.Versions > 1 {
		from = 5
	}
	if from > 0 || r.IntN(2) == 0 {
		for range 1 + r.IntN(3) {
			if c := col(randomCols[from+r.IntN(len(randomCols)-from)]); !slices.ContainsFunc(req.Project, func(p storage.Col) bool {
				return p.Family == c.Family && string(p.Qualifier) == string(c.Qualifier)
			}) {
				req.Project = append(req.Project, c)
			}
		}
	}
	req.EveryRow = r.IntN(4) == 0
	return req
}

func (r *random) step() {
	r.env.t.Helper()
	switch r.IntN(12) {
	case 0, 1, 2, 3:
		var rs []storage.RowMutation
		for range 1 + r.IntN(5) {
			k := r.key()
			rs = append(rs, storage.RowMutation{Key: []byte(k), Mutations: r.mutations(k)})
		}
		r.note("mutate %+v", rs)
		r.must(r.t.Mutate(r.ctx, rs, storage.WriteOptions{NoSync: r.IntN(2) == 0}))
		for _, m := range rs {
			r.m.apply(string(m.Key), m.Mutations)
		}
	case 4, 5:
		r.cond()
	case 6:
		if r.IntN(6) > 0 {
			return
		}
		sp := r.spans()
		if len(sp) == 0 || len(sp[0].Start) == 0 {
			return
		}
		r.note("delete span %q", sp[0])
		r.must(r.t.DeleteSpan(r.ctx, sp[0]))
		for _, k := range r.m.keys() {
			if inSpans(k, sp[:1]) {
				delete(r.m, k)
			}
		}
	case 7:
		req := r.request()
		keys := make([]string, 1+r.IntN(8))
		for i := range keys {
			keys[i] = r.key()
		}
		sort.Strings(keys)
		keys = slices.Compact(keys)
		r.note("get %q %+v", keys, req)
		var want []string
		for _, k := range keys {
			if l := r.m.show(k, &req); l != "" {
				want = append(want, l)
			}
		}
		r.want(r.get(r.t, req, keys...), want...)
	case 8:
		r.scanMoved()
	default:
		r.scanOnce()
	}
}

func (r *random) scanOnce() {
	r.env.t.Helper()
	req, pass := r.scanRequest()
	if r.IntN(3) == 0 {
		req.Limit = int64(1 + r.IntN(5))
	}
	r.note("scan %+v", req)
	r.want(r.scan(r.t, req), r.m.scan(&req, pass)...)
	r.readSpans(req)
}

// readSpans reads the first rows of a scan in one call, and those behind
// them as the request says that goes on there.
func (r *random) readSpans(req storage.ScanRequest) {
	r.env.t.Helper()
	if req.Filter != nil {
		return
	}
	want := r.m.scan(&req, anyKey)
	var b storage.RowBatch
	for {
		did, ended, err := r.t.ReadSpans(r.ctx, &req, &b)
		r.must(err)
		if b.Len() > len(want) || b.Len() == 0 && len(want) > 0 || did.RowsRead < int64(b.Len()) {
			r.env.t.Fatalf("%d rows read, %+v; %d are left", b.Len(), did, len(want))
		}
		r.want(text(&b, &req), want[:b.Len()]...)
		if want = want[b.Len():]; ended && len(want) > 0 {
			r.env.t.Fatalf("%d rows behind the end", len(want))
		}
		if b.Len() == 0 || ended {
			return
		}
		if req.Limit > 0 {
			if req.Limit -= int64(b.Len()); req.Limit == 0 {
				return
			}
		}
		if req.Spans = storage.Resume(req.Spans, b.Key(b.Len()-1), req.Reverse); len(req.Spans) == 0 {
			return
		}
	}
}

// scanRequest makes a request without a limit; pass is what its filter does.
func (r *random) scanRequest() (req storage.ScanRequest, pass func(string) bool) {
	req = r.request()
	req.Spans = r.spans()
	req.Reverse = r.IntN(2) == 0
	req.BatchRows = []int{0, 0, 1, 3}[r.IntN(4)]
	pass = anyKey
	if r.IntN(3) == 0 {
		bit := byte(r.IntN(2))
		pass = func(k string) bool { return k[len(k)-1]&1 == bit }
		req.Filter = func(k []byte, _ storage.RowView) (bool, error) { return pass(string(k)), nil }
	}
	return req, pass
}

// scanMoved sends a scan that can be moved here and there, from where it has read all
// or some of what it was sent to.
func (r *random) scanMoved() {
	r.env.t.Helper()
	req, pass := r.scanRequest()
	sc, err := r.t.Scan(r.ctx, &req)
	r.must(err)
	defer sc.Close()
	if err := sc.Move(req.Spans, 0); storage.CodeOf(err) == storage.CodeUnsupported {
		return
	}
	var b storage.RowBatch
	for range 1 + r.IntN(5) {
		part := req
		part.Spans, part.Limit = common(req.Spans, r.spans()), 0
		if r.IntN(2) == 0 {
			part.Limit = int64(1 + r.IntN(5))
		}
		r.note("move %+v", part)
		r.must(sc.Move(part.Spans, part.Limit))
		want := r.m.scan(&part, pass)
		for whole := r.IntN(3) > 0; ; {
			ended := sc.Ended()
			if err := sc.Next(&b); err == io.EOF {
				r.want(nil, want...)
				break
			} else if r.must(err); ended || b.Len() > len(want) {
				r.env.t.Fatalf("%d rows after the end (%v), %d are left", b.Len(), ended, len(want))
			}
			r.want(text(&b, &req), want[:b.Len()]...)
			if want = want[b.Len():]; !whole && r.IntN(2) == 0 {
				break
			}
		}
	}
}

// common gives what lies in both of two sorted lists of spans.
func common(a, b []storage.Span) (out []storage.Span) {
	for _, x := range a {
		for _, y := range b {
			both := storage.Span{Start: []byte(max(string(x.Start), string(y.Start))), End: x.End}
			if len(x.End) == 0 || len(y.End) > 0 && string(y.End) < string(x.End) {
				both.End = y.End
			}
			if len(both.End) == 0 || string(both.Start) < string(both.End) {
				out = append(out, both)
			}
		}
	}
	return out
}

func (r *random) cond() {
	r.env.t.Helper()
	k, c := r.key(), randomCols[r.IntN(len(randomCols))]
	cond := storage.Cond{Op: storage.CondOp(r.IntN(int(storage.CellTSEquals) + 1)), Family: col(c).Family, Qualifier: col(c).Qualifier}
	ts, there := r.m.latest(k, c)
	cond.Timestamp = 1 << 40 * 1000
	if there && r.IntN(4) > 0 {
		cond.Timestamp = ts
	}
	var want bool
	switch cond.Op {
	case storage.RowAbsent:
		want = r.m[k] == nil
	case storage.RowPresent:
		want = r.m[k] != nil
	case storage.CellAbsent:
		want = !there
	case storage.CellPresent:
		want = there
	case storage.CellTSEquals:
		want = there && ts == cond.Timestamp
	}
	m := storage.CondMutation{Key: []byte(k), Cond: cond, Then: r.mutations(k)}
	if r.IntN(2) == 0 {
		m.Else = r.mutations(k)
	}
	r.note("check %+v", m)
	got, err := r.t.CheckAndMutate(r.ctx, &m)
	r.must(err)
	if got != want {
		r.env.t.Fatalf("%+v: matched %v, want %v", m, got, want)
	}
	if got {
		r.m.apply(k, m.Then)
	} else if len(m.Else) > 0 {
		r.m.apply(k, m.Else)
	}
}
