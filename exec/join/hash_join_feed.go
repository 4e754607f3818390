package join

import (
	"slices"
	"sync"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// Feed joins on the goroutines of the probe side, each of which has a matcher of its own over
// the one table.
//
//	build side --> rows kept --> table
//	                              / \
//	probe side's goroutines --> probe | probe | …  --> each into its sink
//
// What is seen of rows kept is put together at the end. Where they do not fit into memory, and
// where it matters in which order pairs are looked at, one goroutine does it all.
func (j *hashJoin) Feed(newSink func() (op.Sink, error)) error {
	newSink, done := j.cx.Fed(j.n, newSink)
	defer done()
	if !j.feeds() {
		return op.FeedFrom(j.Next, newSink)
	}
	if err := j.consume(); err != nil {
		return err
	}
	if j.built = true; j.done {
		return nil
	}
	if j.spill != nil {
		return op.FeedFrom(j.Next, newSink)
	}
	f := probeFeed{j: j, newSink: newSink}
	if err := op.Feed(j.probe, f.probe); err != nil {
		return err
	}
	j.done = true
	return f.end()
}

// feeds says that probe rows may be joined on several goroutines.
func (j *hashJoin) feeds() bool {
	if j.buildKeys.some || j.m.shape.single && !j.m.shape.outerLeft {
		return false
	}
	for _, e := range []expr.Expr{j.n.Filter, j.n.Cond} {
		if e != nil && expr.Volatile(e) {
			return false
		}
	}
	return !slices.ContainsFunc(j.n.Keys, func(k plan.JoinKey) bool { return expr.Volatile(k.Left) || expr.Volatile(k.Right) })
}

// probeFeed is one run of Feed.
type probeFeed struct {
	j       *hashJoin
	newSink func() (op.Sink, error)
	mu      sync.Mutex
	probes  []*probe
}

// probe joins what one goroutine gives: a sink of the probe side.
type probe struct {
	j      *hashJoin
	keys   *joinKeys
	m      *matcher
	chains chainFill
	to     op.Sink
}

func (f *probeFeed) probe() (op.Sink, error) {
	to, err := f.newSink()
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	j := f.j
	p := &probe{j: j, to: to, keys: j.probeKeys, m: j.m, chains: chainFill{table: j.chains.table}}
	if len(f.probes) > 0 {
		p.keys = j.probeKeys.clone()
		if p.m, err = newMatcher(&j.n.Match, j.n.Kind, op.TypesOf(j.n.Left), op.TypesOf(j.n.Right), !j.n.BuildLeft); err != nil {
			return nil, err
		}
		if j.m.marksInner() {
			if err := j.hold.MustTo(j.hold.Bytes() + int64(j.kept.Len)); err != nil {
				return nil, err
			}
		}
	}
	p.m.open(j.cx, p)
	p.m.start(j.kept)
	p.m.want = mostWanted
	p.m.clearOut()
	f.probes = append(f.probes, p)
	return p, nil
}

// Add joins the rows of a batch.
func (p *probe) Add(b *vec.Batch) error { return p.keys.Each(p.j.cx.Env, b, p.add) }

// add joins rows whose keys are computed.
func (p *probe) add(b *vec.Batch) error {
	sel := spill.Selection(b)
	p.keys.hash(p.keys.Vals, sel)
	p.chains.find(p.keys.hashes, p.keys.Vals, sel)
	return p.m.push(b, p.to)
}

// outer implements candidates: rows are pushed.
func (p *probe) outer() (*vec.Batch, error) { return nil, nil }

// fill implements candidates.
func (p *probe) fill() error {
	p.chains.fill(p.m)
	return nil
}

// end gives what is left when all probe rows have been joined: joined rows that have not
// filled a batch, and the rows kept at their end.
func (f *probeFeed) end() error {
	m := f.j.m
	if len(f.probes) == 0 {
		if m.shape.inner == endNothing {
			return nil
		}
		if _, err := f.probe(); err != nil {
			return err
		}
	}
	for _, p := range f.probes[1:] {
		for i, seen := range p.m.innerSeen {
			m.innerSeen[i] |= seen
		}
		p.m.innerSeen = nil
	}
	for _, p := range f.probes {
		if err := p.m.pushEnd(p.to); err != nil {
			return err
		}
	}
	return nil
}
