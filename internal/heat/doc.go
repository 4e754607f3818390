// Package heat counts what is read and written of each salt bucket of each table and index.
//
//	exec: points, pages of scans, writers --> Cell, one of each bucket, in the session's shard
//	Heat.Sums                             <-- the shards of a relation, added up
//	Heat.Run                              each minute: what the sums have grown by
//
// A Cell is one cache line of eight counters, which only grow. Each session adds to the cells of its
// shard, so that sessions seldom write the same line; a shard's cells of a relation are made where
// one of its sessions touches it first. Adding to a cell allocates nothing and takes no lock.
//
// exec counts by it, internal/session owns one for each DB. It knows neither tables nor keys: a
// relation is an OID and a number of buckets. It must never hold more than its limit, nor a number
// that is too small: what there is no room for is not counted at all, and Full says so.
package heat
