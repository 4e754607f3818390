package storage

import "context"

// Compactor is a Store whose reads of a table cost less once what was written to it at
// different times is merged. Whoever wants that asks for it by a type assertion: a store
// that keeps its tables in order by itself, or whose service does, is none.
type Compactor interface {
	// Compact merges what a table has in memory and in several layers of files to one. It
	// writes as many bytes as lie there, and nothing where they lie in one layer already. It
	// goes on in the background for what it has begun where ctx ends. Reads and writes go on
	// beside it.
	Compact(ctx context.Context, table string) error
}
