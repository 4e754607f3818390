package session

// Behind gives the DB behind a *saltsql.DB. The embedding API sets it: its types show
// nothing of this package, and the protocol's server needs more than they show.
var Behind func(db any) *DB
