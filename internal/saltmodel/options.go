package saltmodel

import "time"

// Options describe a cluster. Zero values are the service's.
type Options struct {
	Nodes int // default 1
	// Clients is how many requests are under way at once; default 64 per node.
	Clients int
	// Scale is how many rows each row stands for, so that a simulation of
	// minutes needs few of them; default 1.
	Scale int

	ReadsPerSecond  int // of one node; default 17,000 rows
	WritesPerSecond int // of one node; default 14,000 rows
	ScanBytes       int // a second of one node; default 220,000,000

	// Window is how often splits and moves are decided; default 1 minute.
	Window time.Duration
	// SplitBytes and SplitLoad are when a tablet is split: its size (default 2
	// GiB), and the part of a node's time it took in a window (default 0.5).
	SplitBytes int64
	SplitLoad  float64
	// MoveTime is how long a tablet is away when it moves; default 500 ms.
	MoveTime time.Duration
}

// ReadCost is a node's time for a row that is looked up, and for a scan that begins.
func (o *Options) ReadCost() time.Duration { return time.Second / time.Duration(o.ReadsPerSecond) }

// WriteCost is a node's time for a row that is written.
func (o *Options) WriteCost() time.Duration { return time.Second / time.Duration(o.WritesPerSecond) }

// ScanCost is a node's time for bytes that a scan gives.
func (o *Options) ScanCost(bytes int) time.Duration {
	return time.Duration(bytes) * time.Second / time.Duration(o.ScanBytes)
}

func (o Options) withDefaults() Options {
	def := func(p *int, v int) {
		if *p <= 0 {
			*p = v
		}
	}
	def(&o.Nodes, 1)
	def(&o.Clients, 64*o.Nodes)
	def(&o.Scale, 1)
	def(&o.ReadsPerSecond, 17_000)
	def(&o.WritesPerSecond, 14_000)
	def(&o.ScanBytes, 220_000_000)
	if o.Window <= 0 {
		o.Window = time.Minute
	}
	if o.SplitBytes <= 0 {
		o.SplitBytes = 2 << 30
	}
	if o.SplitLoad <= 0 {
		o.SplitLoad = 0.5
	}
	if o.MoveTime <= 0 {
		o.MoveTime = 500 * time.Millisecond
	}
	return o
}
