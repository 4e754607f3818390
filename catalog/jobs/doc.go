// Package jobs goes over the rows of a table while the table serves, for as long as that
// takes: it copies them under another salt, or fills an index from them.
//
//	live    plans the job in the table's descriptor, takes it (Take), and has it run (Run)
//	jobs    pieces of rows, several at a time   ->  progress in the job's row
//	        what was written meanwhile           ->  log of changes, or the writes themselves
//	        the end: one change of the descriptor, while no write is under way
//	versions  the job's lease, freezing and holding of writes, the change itself
//
// An index may be filled at once where one process has the store to itself (bulk.go): from a
// snapshot, by a load, and what was written meanwhile is mended in the end: of a UNIQUE index
// while nobody writes. Pieces are for other stores, where the rate is limited, and where others
// write too much for that, or stay open with what they have written.
//
// That there is a job the descriptor says (catalog.Table.Jobs), so that it outlives its
// server: any other that looks around (LookAround) goes on where the progress ends. What
// fails or is canceled is undone, and the table is as it was.
//
//	SALT_BUCKETS   planned  ->  copying: writes note their rows in a log  ->  the copy is the table
//	index          planned  ->  write-only: every write keeps it up       ->  public
//
// It must never decide whether a job may be, or who may ask for it: package live does. It
// knows no more of a row than its key and cells; what an index's entry is its Filler knows.
package jobs
