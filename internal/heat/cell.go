package heat

import "sync/atomic"

// Cell counts what is done to one bucket: a cache line. Adding is for any goroutine.
type Cell struct {
	hits, misses atomic.Int64 // keys that were looked up
	scans        atomic.Int64
	scanned      atomic.Int64 // rows that scans have read
	given        atomic.Int64 // rows that scans have given, less rows of hits that were not
	bytesRead    atomic.Int64
	written      atomic.Int64
	bytesWritten atomic.Int64
}

// Hit counts one key that has a row, of so many bytes, which is given to the statement unless Given
// takes it back.
func (c *Cell) Hit(bytes int64) {
	c.hits.Add(1)
	c.bytesRead.Add(bytes)
}

// Miss counts one key without a row.
func (c *Cell) Miss() { c.misses.Add(1) }

// Points is Hit and Miss of several keys.
func (c *Cell) Points(hits, misses, bytes int64) {
	if hits > 0 {
		c.hits.Add(hits)
		c.bytesRead.Add(bytes)
	}
	if misses > 0 {
		c.misses.Add(misses)
	}
}

// Scan counts a scan that begins to read the bucket.
func (c *Cell) Scan() { c.scans.Add(1) }

// Read counts rows that a scan has read.
func (c *Cell) Read(rows, bytes int64) {
	if rows != 0 {
		c.scanned.Add(rows)
	}
	if bytes != 0 {
		c.bytesRead.Add(bytes)
	}
}

// Given counts rows that a scan gives to what is above it; below 0 are hits whose rows a filter has
// dropped.
func (c *Cell) Given(rows int64) {
	if rows != 0 {
		c.given.Add(rows)
	}
}

// Wrote counts rows written or deleted.
func (c *Cell) Wrote(rows, bytes int64) {
	c.written.Add(rows)
	c.bytesWritten.Add(bytes)
}

// Counts are the sums of a bucket's cells. Servers of different versions tell each other by these
// names.
type Counts struct {
	Hits, Misses           int64 // keys looked up that have a row, and that have none
	Scans                  int64 // scans that began to read the bucket
	RowsRead, RowsReturned int64 // hits among them
	BytesRead              int64
	RowsWritten            int64 // deleted ones among them
	BytesWritten           int64
}

// Reads is how many requests have read the bucket, Writes how many rows were written.
func (c *Counts) Reads() int64  { return c.Hits + c.Misses + c.Scans }
func (c *Counts) Writes() int64 { return c.RowsWritten }

// Add adds what another server, or another time, has counted.
func (c *Counts) Add(o *Counts) {
	c.Hits, c.Misses, c.Scans = c.Hits+o.Hits, c.Misses+o.Misses, c.Scans+o.Scans
	c.RowsRead, c.RowsReturned, c.BytesRead = c.RowsRead+o.RowsRead, c.RowsReturned+o.RowsReturned, c.BytesRead+o.BytesRead
	c.RowsWritten, c.BytesWritten = c.RowsWritten+o.RowsWritten, c.BytesWritten+o.BytesWritten
}

// addTo adds the cell's counters to c.
func (x *Cell) addTo(c *Counts) {
	hits := x.hits.Load()
	c.Hits += hits
	c.Misses += x.misses.Load()
	c.Scans += x.scans.Load()
	c.RowsRead += hits + x.scanned.Load()
	c.RowsReturned += hits + x.given.Load()
	c.BytesRead += x.bytesRead.Load()
	c.RowsWritten += x.written.Load()
	c.BytesWritten += x.bytesWritten.Load()
}
