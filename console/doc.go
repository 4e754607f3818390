// Package console shows a server in a browser: its tables, statements, sessions and jobs, and a page
// for SQL. cmd/saltsql serves it beside wire; it calls the root package and nothing below it.
//
//	browser --GET /q/tables--> hosts.go --> logins.go --> panels.go --> sql/tables.sql
//	        <----- JSON ------------------- answer.go <-- a read-only Session of the user
//
// Each panel is a file of sql/, which psql runs as well: the console knows no number that SQL does
// not give. The pages are in web/: HTML, CSS and ES modules as the browser takes them.
//
// It must never write: each statement runs in a read-only transaction of its own session, by the
// rights of the user who has logged in. It must never trust a browser: hosts.go refuses what another
// site sends, logins.go who has not logged in. It keeps nothing but logins.
package console
