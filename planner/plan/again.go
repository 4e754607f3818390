package plan

// Again says how an Update or Delete whose input holds more than the table's rows (rows of
// FROM, what queries gave) goes on with a row that has changed since the input read it,
// under READ COMMITTED. It is PostgreSQL's EvalPlanQual, as far as that can be done without
// running queries again: what was computed beside the row stands, and Cond and the
// assignments are evaluated on the new row with it. Where that does not do, the statement ends
// with 40001 (txn.ErrSerialization), for which a session runs it anew from its start.
type Again struct {
	// Columns, indexes into Table.Columns, are those that what is not evaluated again
	// depends on. If one has changed: 40001.
	Columns []int
	// Joined: of several rows that a row of the table is joined with, the input holds one. If
	// Cond is not true any more with that one, it may be with another: 40001.
	Joined bool
	// Merge: it is an action of MERGE. If Cond is not true any more, or the row is gone,
	// another action may be due: 40001. A row that comes a second time is 21000.
	Merge bool
}
