// Package pebble keeps tables in a local folder, in a Pebble database: the
// embedded default store.
//
//	storage.Store            Pebble key                     value
//	table directory          00000000 "table/" name         id, families, splits
//	row                      table id, 4 bytes ‖ row key    all cells of the row, packed (rowpack)
//
//	read    iterator, sorted run or Get ── decode straight into the caller's RowBatch
//	write   whole row: blind Set; part of a row: read, merge, Set
//	        row latches ── apply to WAL and memtable ── unlatch ── wait for the sync
//
// A row is one key, so a row write is atomic and a scan decodes one value per
// row. Concurrent writers share the fsync. Cells past a family's TTL are hidden
// by reads and removed by a background sweep. What many seeks have read is merged to
// one level (seek_compaction.go), and a table that is not written is read from its files
// below Pebble's iterator (sorted_run.go).
//
// cmd/saltsql and tests open it; it imports storage only. It must never return
// from Close with a goroutine, iterator or lock left, and never acknowledge a
// synced write before Pebble has synced it.
package pebble
