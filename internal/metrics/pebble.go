package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/saltsql/saltsql/storage/pebble"
)

var (
	diskFree       = define("disk_free_bytes", "Space that is free on the disk of an embedded store.", gauge)
	diskReserve    = define("disk_reserve_bytes", "Space below which an embedded store refuses writes.", gauge)
	diskFull       = define("disk_full", "1 while an embedded store refuses writes for lack of space.", gauge)
	pebbleDisk     = define("pebble_disk_bytes", "Bytes that the store takes on its disk.", gauge)
	pebbleLog      = define("pebble_wal_bytes", "Bytes of the write-ahead logs.", gauge)
	pebbleLogged   = define("pebble_wal_written_bytes_total", "Bytes of commits that were written to the write-ahead logs.", counter)
	pebbleSync     = define("pebble_sync_seconds", "Time that syncs of the write-ahead log took; a histogram.", 0)
	pebbleMemtable = define("pebble_memtable_bytes", "Bytes of the memtables.", gauge)
	pebbleFlushes  = define("pebble_flushes_total", "Memtables written to tables.", counter)
	pebbleCompact  = define("pebble_compactions_total", "Compactions since the store was opened.", counter)
	pebbleDebt     = define("pebble_compaction_debt_bytes", "Bytes that are to be compacted until the store is in its best form.", gauge)
	pebbleRead     = define("pebble_read_amplification", "Places where a key must be looked for.", gauge)
	pebbleL0       = define("pebble_l0_files", "Files of the youngest level.", gauge)
	pebbleRuns     = define("pebble_run_tables", "Tables that are read from their files directly, since nobody writes them.", gauge)
	pebbleRunFiles = define("pebble_run_files", "Files that are open for them.", gauge)
	pebbleCache    = define("pebble_block_cache_bytes", "Bytes of the block cache.", gauge)
	pebbleLookups  = define("pebble_block_cache_total", "Blocks that were found in the cache, or read from the disk.", counter, "result")
)

// storeCollector reads an embedded store's counters.
type storeCollector struct{ store *pebble.Store }

func (c storeCollector) Describe(chan<- *prometheus.Desc) {} // collector has done so

func (c storeCollector) Collect(out chan<- prometheus.Metric) {
	free, reserve, full := c.store.Space()
	diskFree.give(out, float64(free))
	diskReserve.give(out, float64(reserve))
	refuses := 0.0
	if full {
		refuses = 1
	}
	diskFull.give(out, refuses)
	for _, calls := range c.store.Calls() {
		storeCalls(out, calls.Op, calls.Done, calls.Timed, calls.Time, pebble.CallBounds[:], calls.Within[:])
		for code, n := range calls.Failed {
			storageCalls.give(out, float64(n), calls.Op, code.String())
		}
	}
	m := c.store.Metrics()
	written := m.WAL.BytesWritten
	for i := range m.Levels {
		written += m.Levels[i].TableBytesIngested
	}
	storageBytes.give(out, float64(written), "written")
	pebbleDisk.give(out, float64(m.DiskSpaceUsage()))
	pebbleLog.give(out, float64(m.WAL.PhysicalSize))
	pebbleLogged.give(out, float64(m.WAL.BytesWritten))
	pebbleSync.copyNanos(out, m.LogWriter.FsyncLatency)
	pebbleMemtable.give(out, float64(m.MemTable.Size))
	pebbleFlushes.give(out, float64(m.Flush.Count))
	pebbleCompact.give(out, float64(m.Compact.Count))
	pebbleDebt.give(out, float64(m.Compact.EstimatedDebt))
	pebbleRead.give(out, float64(m.ReadAmp()))
	pebbleL0.give(out, float64(m.Levels[0].TablesCount))
	tables, files := c.store.Runs()
	pebbleRuns.give(out, float64(tables))
	pebbleRunFiles.give(out, float64(files))
	pebbleCache.give(out, float64(m.BlockCache.Size))
	pebbleLookups.give(out, float64(m.BlockCache.Hits), "hit")
	pebbleLookups.give(out, float64(m.BlockCache.Misses), "miss")
}
