// Package saltsql puts typed SQL tables on Cloud Bigtable or on an embedded store, spreads
// hot keys with SALT_BUCKETS, and speaks PostgreSQL's SQL.
//
//	your program ----.                       .-- wire (psql, drivers, BI tools)
//	database/sql ----+--> DB --> Session <---'
//	                               |
//	                 dialect -> planner -> exec -> storage
//
// # Opening
//
// A program opens a store, of storage/pebble, storage/bigtable or storage/mem, and gives it
// to Open:
//
//	store, err := pebble.Open("./data", nil)
//	db, err := saltsql.Open(ctx, store, nil)
//	defer store.Close()
//	defer db.Close()
//
// # Queries
//
// A DB is safe for concurrent use. Its Query and Exec run each text in a session of its
// own; [One], [All] and [Each] give values and structs in place of rows:
//
//	_, err = db.Exec(ctx, "UPSERT INTO metrics VALUES ($1, $2, $3)", host, time.Now(), 0.5)
//	n, err := saltsql.One[int](ctx, db, "SELECT count(*) FROM metrics")
//	for m, err := range saltsql.Each[Metric](ctx, db, "SELECT * FROM metrics WHERE host = $1", host) { … }
//
// Arguments are Go values for $1, $2, …: see [Session.Query]. Results are scanned into Go
// values: see [Rows.Scan] and [ScanRow].
//
// # Sessions and transactions
//
// A [Session] is one client's state: settings, transaction, prepared statements. It is for
// one goroutine at a time. [DB.InTx] runs a function in a transaction, and again where
// another transaction got in its way. Which isolation there is depends on the store: on
// Bigtable a transaction over several rows is not atomic, and says so in a [Notice].
//
// # Loading
//
// [Session.CopyRows] loads Go values, [Session.CopyFrom] what a reader gives in one of
// COPY's formats; [Session.CopyTo] writes a query's rows to a writer. In a transaction they
// are part of it.
//
// # Errors
//
// Errors of statements are [*Error] with PostgreSQL's SQLSTATEs, through database/sql too.
// What saltsql does not do is refused with 0A000 and a Hint that says what to do instead.
//
// # database/sql and servers
//
// sql.OpenDB(db.Connector()) gives a handle over the same DB without a socket, for all that
// is made for database/sql. Package wire serves a DB over PostgreSQL's protocol, to other
// processes and, by its Server.Dial, to drivers in this one. All enter by the same door.
//
// # Looking inside
//
// EXPLAIN ANALYZE shows the rows, calls and bytes of a statement. [DB.Stats] has numbers for
// dashboards, [DB.Sessions] tells what runs, and [DB.Cancel] ends it.
package saltsql
