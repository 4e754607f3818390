package tree

// LockTable is LOCK TABLE.
type LockTable struct {
	Tables []Name
	Mode   string // "access exclusive" and so on, lower case
	NoWait bool
}

// Analyze is ANALYZE.
type Analyze struct {
	Options []Option
	Tables  []Name
	Columns [][]string // one list per table, nil for all
}

// Vacuum is VACUUM.
type Vacuum struct {
	Options []Option
	Tables  []Name
	Columns [][]string
}

// Refresh is REFRESH MATERIALIZED VIEW.
type Refresh struct {
	Name         Name
	Concurrently bool
	NoData       bool
}

func (*Refresh) Tag() string { return "REFRESH MATERIALIZED VIEW" }

// CheckTable is CHECK TABLE t [SALT | INDEX | ALL] [REPAIR].
type CheckTable struct {
	Table       Name
	Salt, Index bool
	Repair      bool
}

func (*CheckTable) Tag() string { return "CHECK TABLE" }

// Reindex is REINDEX.
type Reindex struct {
	Options      []Option
	Object       string // "index", "table", "schema", "database", "system"
	Concurrently bool
	Name         Name // for a schema or database, Name.Name
	Pos          int  // of Object
}

func (*Reindex) Tag() string { return "REINDEX" }

// Cancel is CANCEL pid, of a session's statement.
type Cancel struct{ PID int32 }

func (*Cancel) Tag() string { return "CANCEL" }

// Checkpoint is CHECKPOINT.
type Checkpoint struct{}

func (*LockTable) Tag() string  { return "LOCK TABLE" }
func (*Analyze) Tag() string    { return "ANALYZE" }
func (*Vacuum) Tag() string     { return "VACUUM" }
func (*Checkpoint) Tag() string { return "CHECKPOINT" }
