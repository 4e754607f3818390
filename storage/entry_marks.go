package storage

// A store that is not atomic over rows keeps the entries of an index beside rows that others
// may change at the same moment. What is on its way is told by marks in the entry itself:
//
//	_saltsql.enter  a cell for each write under way that gives the row this entry
//	_saltsql.leave  one for each that takes it away, and one for who mends the entry
//
// An entry without marks holds what its row does. See storage/txn/staged.go.
const (
	EnterFamily = "_saltsql.enter"
	LeaveFamily = "_saltsql.leave"
)
