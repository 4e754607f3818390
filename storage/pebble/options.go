package pebble

import (
	"log/slog"
	"runtime"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Options tune a store. The zero value is good.
type Options struct {
	// CacheBytes is the size of the block cache; 0 means 256 MB. A cache that
	// does not hold the working set makes point reads five times slower.
	CacheBytes int64
	// MemTableBytes is the size of a memtable, of which there may be four; 0 means 64 MB.
	MemTableBytes int64
	// FS is the file system; nil is the machine's.
	FS vfs.FS
	// Logger receives what goes on in the background; nil is slog.Default().
	Logger *slog.Logger
	// NoSync acknowledges all writes before they are durable.
	NoSync bool
	// SweepInterval is the time between two removals of cells past their TTL;
	// 0 means 10 minutes. Reads hide them at once in any case.
	SweepInterval time.Duration
	// Now is the clock of TTLs; nil is time.Now.
	Now func() time.Time
}

const (
	defaultCacheBytes    = 256 << 20
	defaultMemTableBytes = 64 << 20
	bloomBitsPerKey      = 10
	defaultSweepInterval = 10 * time.Minute

	// A block is read whole, so large ones cost a cold point read little next to
	// the seek, and a scan one look into the cache for some 300 rows instead of 40.
	blockBytes      = 32 << 10
	indexBlockBytes = 256 << 10
)

func (o *Options) withDefaults() Options {
	var out Options
	if o != nil {
		out = *o
	}
	if out.CacheBytes <= 0 {
		out.CacheBytes = defaultCacheBytes
	}
	if out.MemTableBytes <= 0 {
		out.MemTableBytes = defaultMemTableBytes
	}
	if out.FS == nil {
		out.FS = vfs.Default
	}
	if out.Logger == nil {
		out.Logger = slog.Default()
	}
	if out.SweepInterval <= 0 {
		out.SweepInterval = defaultSweepInterval
	}
	if out.Now == nil {
		out.Now = time.Now
	}
	return out
}

// pebbleOptions says how Pebble runs: newest format (columnar blocks), bloom
// filters on every level, and no count of the rows that iterators pass, by
// which Pebble would compact what is read often. Comparer and merger stay
// Pebble's own.
func (o *Options) pebbleOptions(cache *pebble.Cache, lock *pebble.Lock) *pebble.Options {
	listener := eventListener(o.Logger)
	po := &pebble.Options{
		Cache:                       cache,
		FS:                          o.FS,
		Lock:                        lock,
		FormatMajorVersion:          pebble.FormatNewest,
		MemTableSize:                uint64(o.MemTableBytes),
		MemTableStopWritesThreshold: 4,
		CompactionConcurrencyRange:  func() (int, int) { return 1, max(1, runtime.GOMAXPROCS(0)/2) },
		Logger:                      logger{o.Logger},
		EventListener:               &listener,
	}
	po.Experimental.ReadSamplingMultiplier = -1
	for i := range po.Levels {
		po.Levels[i].BlockSize = blockBytes
		po.Levels[i].IndexBlockSize = indexBlockBytes
		po.Levels[i].FilterPolicy = bloom.FilterPolicy(bloomBitsPerKey)
	}
	return po
}
