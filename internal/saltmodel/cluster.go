package saltmodel

import (
	"bytes"
	"container/heap"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Cluster reckons the time of requests. Each request goes to the node of its
// row's tablet and waits there for those before it; at most Options.Clients are
// under way, and the clock stands at the moment the last one could be sent.
type Cluster struct {
	opts Options

	mu     sync.Mutex
	now    time.Duration
	nodes  []node
	tables map[string][]*tablet
	out    completions
	window time.Duration // when the present one ends
	rows   int64
	splits int
	moves  int
	rand   *rand.Rand
}

type node struct {
	free time.Duration // when it has done all it was given
	load time.Duration // work given in this window
	work time.Duration // work given since the start
}

// tablet holds the rows from start to the next tablet's.
type tablet struct {
	start []byte
	node  int
	bytes int64
	load  time.Duration // of this window
	away  time.Duration // until when it moves
	keys  [sampled][]byte
	seen  int // requests of this window
}

// sampled is how many keys a tablet remembers of a window, to split it in two
// halves of equal load.
const sampled = 32

// NewCluster makes a cluster without tables.
func NewCluster(opts Options) *Cluster {
	opts = opts.withDefaults()
	return &Cluster{
		opts: opts, nodes: make([]node, opts.Nodes), tables: map[string][]*tablet{},
		window: opts.Window, rand: rand.New(rand.NewPCG(1, 2)),
	}
}

// Options are those of the cluster, defaults filled in.
func (c *Cluster) Options() *Options { return &c.opts }

// Create makes a table's first tablets, evenly over the nodes.
func (c *Cluster) Create(table string, splits [][]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := []*tablet{{}}
	for _, s := range splits {
		list = append(list, &tablet{start: bytes.Clone(s), node: len(list) % len(c.nodes)})
	}
	c.tables[table] = list
}

// Drop forgets a table.
func (c *Cluster) Drop(table string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.tables, table)
}

// Request reckons one request for a row: cost is a node's time for it, grown the bytes that
// it adds to the table. A table that was not created has one tablet.
func (c *Cluster) Request(table string, key []byte, cost time.Duration, grown int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.tables[table]
	if len(list) == 0 {
		list = []*tablet{{}}
		c.tables[table] = list
	}
	if len(c.out) == c.opts.Clients {
		c.now = max(c.now, heap.Pop(&c.out).(time.Duration))
	}
	if c.now >= c.window {
		c.balance()
		list = c.tables[table]
	}
	i, found := slices.BinarySearchFunc(list, key, func(t *tablet, key []byte) int { return bytes.Compare(t.start, key) })
	if !found {
		i--
	}
	t := list[i]
	n := &c.nodes[t.node]
	cost *= time.Duration(c.opts.Scale)
	n.free = max(n.free, c.now, t.away) + cost
	n.load += cost
	n.work += cost
	t.load += cost
	t.bytes += grown * int64(c.opts.Scale)
	t.sample(c.rand, key)
	c.rows += int64(c.opts.Scale)
	heap.Push(&c.out, n.free)
}

func (t *tablet) sample(r *rand.Rand, key []byte) {
	at := t.seen
	if t.seen++; at >= sampled {
		if at = r.IntN(t.seen); at >= sampled {
			return
		}
	}
	t.keys[at] = append(t.keys[at][:0], key...)
}

// completions are the times at which requests under way will be done.
type completions []time.Duration

func (h completions) Len() int           { return len(h) }
func (h completions) Less(i, j int) bool { return h[i] < h[j] }
func (h completions) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *completions) Push(x any)        { *h = append(*h, x.(time.Duration)) }
func (h *completions) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// Stats tell what a cluster has done.
type Stats struct {
	Rows    int64         // read and written
	Elapsed time.Duration // until the last request was done
	Busy    []float64     // each node's part of that time
	Tablets int
	Splits  int
	Moves   int
}

// RowsPerSecond is the throughput.
func (s Stats) RowsPerSecond() float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return float64(s.Rows) / s.Elapsed.Seconds()
}

// Stats gives the work since the cluster was made, or since Reset.
func (c *Cluster) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Stats{Rows: c.rows, Splits: c.splits, Moves: c.moves, Elapsed: c.now}
	for _, n := range c.nodes {
		s.Elapsed = max(s.Elapsed, n.free)
	}
	for _, n := range c.nodes {
		s.Busy = append(s.Busy, n.work.Seconds()/max(s.Elapsed.Seconds(), 1e-9))
	}
	for _, list := range c.tables {
		s.Tablets += len(list)
	}
	return s
}

// Reset sets clock and counts to 0 and leaves tablets where they are.
func (c *Cluster) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.window, c.out, c.rows, c.splits, c.moves = 0, c.opts.Window, nil, 0, 0, 0
	clear(c.nodes)
	for _, list := range c.tables {
		for _, t := range list {
			t.load, t.seen, t.away = 0, 0, 0
		}
	}
}
