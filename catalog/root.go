package catalog

// Root is the root row's cell. Its timestamp is what commits compare.
type Root struct {
	Format  int    `json:"format"`
	UID     string `json:"uid"` // of this catalog, in names of storage tables
	Version uint64 `json:"version"`
	NextID  uint32 `json:"next_id"`
	// Epoch is the version since which the DDL lease has been in the hands of those who have it
	// now: who decided a change before commits it no more.
	Epoch uint64 `json:"epoch,omitempty"`
	// Lease and Refresh are those of the servers that share the store, ms; 0 is not yet said.
	Lease   int64 `json:"lease_ms,omitempty"`
	Refresh int64 `json:"refresh_ms,omitempty"`
	// Roles says that there have been roles.
	Roles bool `json:"roles,omitempty"`
	// Recent are the nonces of the newest commits, newest last: how a writer
	// whose answer was lost finds out whether it won.
	Recent []string `json:"recent,omitempty"`
	// List is "<version>/<nonce>" of the row that lists all objects, Since the IDs of those that
	// the root names beside it.
	List  string   `json:"list,omitempty"`
	Since []uint32 `json:"-"`

	TS int64 `json:"-"` // the cell's timestamp, µs
}
