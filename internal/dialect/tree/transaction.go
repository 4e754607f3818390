package tree

// TxModes are the modes of a transaction; nil or "" where not given.
type TxModes struct {
	Isolation  string // "serializable", "repeatable read", "read committed", "read uncommitted"
	ReadOnly   *bool
	Deferrable *bool
}

// SetTransaction is SET TRANSACTION or SET SESSION CHARACTERISTICS AS TRANSACTION: Session
// says which.
type SetTransaction struct {
	Session  bool
	Local    bool
	Modes    TxModes
	Snapshot string
}

// SetConstraints is SET CONSTRAINTS.
type SetConstraints struct {
	All      bool
	Names    []Name
	Deferred bool
}

// Begin is BEGIN or START TRANSACTION.
type Begin struct {
	Start bool
	Modes TxModes
}

// Commit is COMMIT or END.
type Commit struct{ Chain bool }

// Rollback is ROLLBACK or ABORT.
type Rollback struct{ Chain bool }

// Savepoint is SAVEPOINT.
type Savepoint struct{ Name string }

// Release is RELEASE SAVEPOINT.
type Release struct{ Name string }

// RollbackTo is ROLLBACK TO SAVEPOINT.
type RollbackTo struct{ Name string }

func (*SetTransaction) Tag() string { return "SET" }
func (*SetConstraints) Tag() string { return "SET CONSTRAINTS" }

func (b *Begin) Tag() string {
	if b.Start {
		return "START TRANSACTION"
	}
	return "BEGIN"
}

func (*Commit) Tag() string     { return "COMMIT" }
func (*Rollback) Tag() string   { return "ROLLBACK" }
func (*Savepoint) Tag() string  { return "SAVEPOINT" }
func (*Release) Tag() string    { return "RELEASE" }
func (*RollbackTo) Tag() string { return "ROLLBACK" }
