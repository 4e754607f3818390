// Package wire serves a saltsql.DB over the Postgres protocol, version 3.
//
// cmd/saltsql makes a Server; a Server calls saltsql.Session and nothing below
// it. It must never look into a plan, a catalog or a store, change what a
// statement means, or let a client's bytes end the process.
//
//	psql, drivers ──socket──▶ conn ──▶ saltsql.Session
//	                           │
//	  reader.go message.go     │   bytes to messages to fields
//	  startup.go tls.go auth.go│   who is there
//	  simple.go extended.go    │   what is asked
//	  args.go                  │   parameters to values
//	  portals.go encode.go     │   vectors to rows
//	  copy_from.go copy_to.go  │   COPY, by package copyfmt
//	  errors.go notice.go      │   what went wrong
//	  writer.go                │   messages to bytes
//	  socket_linux.go          │   bytes from and to the system
//
// # The life of a connection
//
//  1. startup.go answers requests for encryption (TLS if there is a certificate, never
//     GSSAPI), carries out cancel requests, and reads the start-up packet: protocol 3.0
//     or 3.2, others are negotiated.
//  2. auth.go lets the client in: trust, or SCRAM-SHA-256, bound to the TLS channel where
//     there is one (SCRAM-SHA-256-PLUS).
//  3. The session is made; the client gets its parameters, its cancel key, ReadyForQuery.
//  4. loop takes messages one by one. Query runs a text as one implicit transaction. Parse,
//     Bind, Describe, Execute and Close work on named or unnamed statements and
//     portals; after an error messages are ignored up to Sync. Several Executes
//     before one Sync share a transaction; a lone one commits by itself.
//  5. Rows go from vectors straight into the write buffer, which leaves in pieces of
//     64 KB, at Sync, at Flush and before the server waits for COPY data.
//  6. A cancel request, statement_timeout or the end of the server stops the engine
//     through the session, and a waiting read by a deadline in the past.
//  7. lost_client.go ends a statement that has run for a second or two, and whose client
//     has left; nothing of the statement's own work looks for that.
//  8. The connection ends by Terminate, by an error whose severity is FATAL, or with the
//     server: connections with nothing open end at once, others when their
//     transaction does.
//
// One goroutine serves a connection; what others may do to it is in state.go. An idle
// connection holds about 16 KB, beside its session.
//
// # Differences from Postgres
//
// Postgres is the reference for all that a client can see. This is the list of what
// differs, and why. A difference that is not listed is a bug.
//
// Protocol:
//   - Any database name is accepted, and current_database() answers it: one store
//     is one database.
//   - GSSAPI encryption and authentication, password and MD5 authentication: refused.
//     SCRAM-SHA-256 does more and every driver has it.
//   - Replication connections: 0A000. There is no write-ahead log to read.
//   - FunctionCall messages: 0A000. Postgres calls them obsolete; SELECT f() does the same.
//   - client_encoding is UTF8; others are refused. Every driver of today speaks it.
//   - A message of 1 GiB or more ends the connection (08P01), as in Postgres; a server may
//     be set to less.
//   - A statement has at most 16 MB (54000); expressions and subqueries nest 1,000 deep, and
//     chains of operators hold 10,000 operands (54001), but those of AND and OR any number.
//     Postgres has 1 GB, and max_stack_depth for both.
//   - authentication_timeout is 10 s, where Postgres's is 60, and at most 100 connections may
//     be within it: one more ends the oldest.
//   - Errors may tell a position, a hint, a table or a column where Postgres tells none. Of
//     file, line and routine, the routine is told where clients go by it.
//   - NOTIFY reaches the sessions of all servers of a store; COMMIT waits two seconds at most until
//     the others have it, and those of a server that dies as it sends them may be lost. On a server that
//     was started read-only it reaches its own sessions, which are told so by a WARNING the first time.
//     16 MiB of notifications wait for a server's clients at most: 54000 for the transaction that would
//     send more, on any server.
//   - A statement ends within two seconds of its client's leaving (Linux):
//     client_connection_check_interval is 1 s, where Postgres's default never looks.
//   - A fault inside the server (XX000) that is a panic ends its connection, and only it.
//
// Statements:
//   - Rows live under their key. A table without a primary key has a hidden one, rowid, salted
//     over 16 buckets; saltsql.require_primary_key = on refuses it (42P16).
//   - Foreign keys are kept, shown as NOT VALID, and not enforced: a NOTICE says so.
//   - UNIQUE is tested when a batch of rows is written: UPDATE t SET a = a + 1 passes where
//     Postgres, row by row, may fail. On Bigtable it is row by row; a value cannot go from one
//     row to another within one transaction, nor with a row to another primary key (0A000).
//   - UPSERT and Phoenix's table options, UPSERT SELECT, NEXT VALUE FOR, SPLIT ON and
//     family.column are understood.
//   - DDL in a block is transactional on the embedded stores for what the block makes, for what it
//     drops, and for ALTER of other tables where no row is read or written: others see it at COMMIT, which
//     is 40001 where they have changed the same. COMMIT does not wait for their blocks.
//   - Other DDL in a block, and all of it on Bigtable and under REPEATABLE READ, commits by itself, or
//     is 25001 where it changes the rows of a table, or how they are written, which the block has
//     written (names, owners, rights, comments and defaults change beside them), and under REPEATABLE
//     READ where it has written any. ROLLBACK warns of what it does not undo. DROP waits for COMMIT there,
//     and the block cannot make another of the name (25001).
//   - DO takes bodies of PL/pgSQL without variables and loops: SQL statements, IF, EXCEPTION, RAISE, PERFORM
//     and EXECUTE of a text; anything else is 0A000, and COMMIT in it 2D000. On Bigtable what a handler
//     catches does not undo DDL, and a WARNING says so.
//   - TRUNCATE in a block deletes rows in the transaction. With RESTART IDENTITY the block draws anew;
//     others draw meanwhile, and then the sequence goes on where it was, with a WARNING at COMMIT.
//   - UPDATE and DELETE over many rows are atomic on stores that have transactions
//     (pebble, mem), and of tables with TRANSACTIONAL = true. On Bigtable other tables' writes in a
//     transaction are buffered and sent at COMMIT in key order; a failure part-way says how many rows
//     were written, and a session is told so by a NOTICE the first time. One block does not write
//     tables of both kinds (0A000).
//   - TRUNCATE waits for transactions that have written rows of its tables and keeps others from
//     writing, as in Postgres, but not for those that have only read: they keep their snapshot.
//     On Bigtable it stops the writes to the table on all servers while the service removes the
//     rows. What a transaction holds back until COMMIT is written after it, under the conditions
//     that it was made under: 40001 where a row that it changed is gone.
//   - A row is known by its key. In READ COMMITTED, UPDATE and DELETE that meet a row which
//     another transaction has deleted and inserted again go on with the new one, and a row moved to
//     another key is gone for who waited for it; Postgres follows the tuple. In REPEATABLE READ an
//     INSERT of a key that was deleted after the snapshot is 40001: Postgres's snapshot
//     then shows the key twice.
//   - ALTER TABLE and DROP TABLE do not wait for the blocks of other sessions. A block that has
//     written rows of the table gets 42P01 at COMMIT where it was dropped, and 40001 where
//     its constraints grew; its next statements see the new columns.
//   - LOCK TABLE takes the modes up to ROW EXCLUSIVE, which conflict with DDL alone, and so do
//     nothing here but ask for the rights; stronger modes are 0A000.
//   - FOR SHARE and FOR KEY SHARE lock as FOR UPDATE does: two of them wait for each other.
//   - READ UNCOMMITTED is READ COMMITTED, as in Postgres; SERIALIZABLE is snapshot isolation with
//     first committer wins. On Bigtable a scan is not a snapshot.
//   - Writes: WHERE CURRENT OF and ON CONFLICT DO UPDATE of a view are 0A000. In READ COMMITTED an
//     UPDATE … FROM, DELETE or MERGE that meets a row which has changed goes on with the rows of
//     FROM that it had read, as in Postgres. Where a query of its own had read what has changed, or
//     another row of FROM might match now, it is undone and starts anew, and so sees all that was
//     committed before; a store that is not atomic over rows answers 40001. MERGE does its
//     clauses one after the other, not row by row.
//   - A cursor declared without SCROLL and WITH HOLD goes forward only; Postgres lets it go back
//     where its plan can. BINARY cursors: 0A000.
//   - pg_stat_statements needs no CREATE EXTENSION; what is not counted, such as blocks of shared
//     buffers, is NULL, and behind PostgreSQL's columns stands what a statement did in the store.
//   - Advisory locks hold over the servers of a store. A session that has one ends (57P01) where its
//     server could not renew its lease in time; on a server that was started read-only, they hold among
//     its own sessions, which are told so by a WARNING the first time. A circle of them and of locked
//     rows, or of sessions that only queue for them on several servers, ends by lock_timeout or
//     statement_timeout only.
//   - A store that has never had a role lets everybody who may connect do everything. Sessions of
//     a role that is dropped, or made NOLOGIN, end (28000); Postgres lets them go on. Rights on
//     functions, and on the types of the system, are 0A000.
//   - Temporary tables are held in memory, and what does not fit is 53200. They are made and
//     filled within a transaction; other DDL over them stands outside of it. No
//     other session sees them in pg_class. A temporary view holds what it reads against its own
//     session only: once another one has dropped or changed that, to read the view is 55000; and
//     DROP of a lasting table does not CASCADE to it. Temporary sequences are 0A000.
//   - CREATE TYPE makes enums; composite, range and base types, PREPARE TRANSACTION and
//     others that are named in their 0A000 are refused with what to do
//     instead. Between two neighbours of an enum there is room for 32 halvings: 54000.
//   - REFRESH MATERIALIZED VIEW fills a copy that is then read in the place of the old rows: nobody
//     waits for it, with CONCURRENTLY or without, and it is no part of a transaction.
//   - CREATE INDEX CONCURRENTLY is CREATE INDEX: it is made by a job while the table serves, and
//     leaves nothing behind where it fails. ALTER COLUMN … TYPE that rewrites rows, and ADD PRIMARY
//     KEY, keep writes waiting and let reads go on.
//   - COPY to and from files and programs of the server: 0A000. psql's \copy does it on
//     the client. Encodings but UTF8: 0A000. COPY FREEZE takes
//     any table: rows have no versions to freeze.
//
// Values:
//   - Text compares by bytes (collation "C"): that is the order of keys.
//   - Dates and intervals in the texts of views, defaults and constraints are shown in ISO and
//     style postgres, whatever DateStyle and IntervalStyle are.
//   - A numeric without a scale forgets zeros at the end when it is stored: 1.10 comes back as
//     1.1, as the row format has it; numeric(10,2) prints two digits always. -0 is stored as 0.
//   - An interval is in no key and no index: equal ones differ, as '1 mon' and '30 days' do,
//     and a key would keep one for both.
//   - Timestamps end with the year 294246, 30 years before Postgres's: microseconds are
//     counted from 1970.
//   - Array bounds start at 1. timetz and range types do not exist. Records exist
//     in expressions and cannot be stored; a row of a table is told as record (2249), by
//     pg_typeof too, and rows cannot stand in views.
//   - Regular expressions have no back references and no lookaround (0A000): every match takes
//     time linear in the text.
//   - Functions over double precision may differ in the last digit; case mapping covers
//     all of Unicode, as under C.UTF-8.
//   - A row is written up to 1,000 times a second for long, on stores that several servers share
//     62 times through one of them, as its versions have whole milliseconds for timestamps: rows run
//     ahead by 10 s, and then writes wait. TTL ends as much later.
//   - A row of a table with a TTL lives for it after the row's last write and goes whole, as every
//     write, of a part too, writes all of it anew; what has expired stays so when the TTL grows.
//   - On stores without snapshots (Bigtable) a statement that reads such a table for longer than a day
//     ends with 72000: cells of expired rows are kept for a day and then go one by one.
//   - A row, cell or key has the limits of Bigtable on every store: 256 MB, 100 MB, 4 KB.
//   - A table's OIDs are those of saltsql's catalog. A ctid is a row's in the session that it was shown
//     in (22023 elsewhere), and its blocks are buckets; xmin and other system columns do not exist. Text is not read as an aclitem (0A000).
//
// COPY FROM:
//   - In csv a line end inside quotes counts as a line from the first line on; Postgres
//     counts it only once it knows how lines end.
//   - Half of a binary row's field count at the very end is an error; Postgres takes
//     it for the end.
//   - A line or a field may be 256 MB long, in place of 1 GB.
package wire
