// Package heat counts what is read and written of each salt bucket of each table and index, and keeps
// some of the keys.
//
//	exec: points, pages of scans, writers --> Cell, one of each bucket, in the session's shard
//	                                      --> Sampler, one operation in k: the ring
//	Heat.Sums                             <-- the shards of a relation, added up
//	Heat.Samples                          <-- the reservoirs of a relation, of 15 minutes
//	Heat.Run                              each minute: what the sums have grown by; each second: the ring
//
// A Cell is one cache line of eight counters, which only grow. Each session adds to the cells of its
// shard, so that sessions seldom write the same line; a shard's cells of a relation are made where
// one of its sessions touches it first. Adding to a cell allocates nothing and takes no lock; a sample
// takes one, and there are at most MaxSamples in a second.
//
// exec counts by it, internal/session owns one for each DB. It knows no tables: a relation is an OID
// and a number of buckets, a key is bytes. It must never hold more than its limit, nor a number
// that is too small: what there is no room for is not counted at all, and Full says so. Keys give way
// to minutes, and both to counters.
package heat
