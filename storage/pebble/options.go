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
	// does not hold the working set makes point reads five times slower, and scans
	// four times.
	CacheBytes int64
	// MemTableBytes is the size of a memtable, of which there may be four; 0 means 64 MB.
	MemTableBytes int64
	// FS is the file system; nil is the machine's.
	FS vfs.FS
	// Logger receives what goes on in the background; nil is slog.Default().
	Logger *slog.Logger
	// ReadOnly opens a store that is there and changes nothing of it but its lock: every
	// write answers CodeReadOnly. The folder stays the process's own meanwhile.
	ReadOnly bool
	// NoSync acknowledges all writes before they are durable.
	NoSync bool
	// SweepInterval is the time between two removals of cells past their TTL;
	// 0 means 10 minutes. Reads hide them at once in any case.
	SweepInterval time.Duration
	// Now is the clock of TTLs; nil is time.Now.
	Now func() time.Time
	// ReserveBytes is how much of the disk's space is kept free: below it writes
	// answer CodeDiskFull, and reads, deletes and the dropping of tables go on. 0
	// means 512 MB, and not more than a twentieth of the disk; below 0 nothing is
	// kept, and the store fails where the disk is full.
	ReserveBytes int64
	// Upgrade raises the format of an existing folder to this version's. Releases
	// before the one that brought the format cannot open the folder afterwards.
	// Without it a folder keeps the format it has.
	Upgrade bool
	// OnFatal is called once, on any goroutine, where the disk has failed so that
	// nothing can be acknowledged any more. Every later call of the store answers
	// CodeFault, whether OnFatal returns or not; Close gives back the folder's lock
	// but not all memory and goroutines, so the process should end. All
	// acknowledged commits are there when the folder is opened anew. The failure is
	// logged before. nil does nothing.
	OnFatal func(err error)
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

	// storeFormat is the format of new folders: columnar blocks, and logs that
	// tell in each record up to where they were synced. It is named, not Pebble's
	// newest: a newer library must not make folders that the release before this
	// one cannot open.
	storeFormat = pebble.FormatValueSeparation

	// reclaimAfter is how long a dropped table's files may stay while nothing else
	// is written.
	reclaimAfter = 10 * time.Second
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

// pebbleOptions says how Pebble runs: bloom filters on every level, and no count
// of the rows that iterators pass, by which Pebble would compact what is read
// often. Comparer and merger stay Pebble's own.
func (s *Store) pebbleOptions(cache *pebble.Cache, lock *pebble.Lock, format pebble.FormatMajorVersion) *pebble.Options {
	o := &s.opts
	listener := eventListener(o.Logger)
	po := &pebble.Options{
		Cache:                       cache,
		FS:                          s.fs,
		Lock:                        lock,
		ReadOnly:                    o.ReadOnly,
		FormatMajorVersion:          format,
		FlushDelayDeleteRange:       reclaimAfter,
		MemTableSize:                uint64(o.MemTableBytes),
		MemTableStopWritesThreshold: 4,
		CompactionConcurrencyRange:  func() (int, int) { return 1, max(1, runtime.GOMAXPROCS(0)/2) },
		Logger:                      logger{o.Logger, s},
		EventListener:               &listener,
	}
	po.WALMinSyncInterval = s.unsynced.gather
	po.Experimental.ReadSamplingMultiplier = -1
	for i := range po.Levels {
		po.Levels[i].BlockSize = blockBytes
		po.Levels[i].IndexBlockSize = indexBlockBytes
		po.Levels[i].FilterPolicy = bloom.FilterPolicy(bloomBitsPerKey)
	}
	return po
}
