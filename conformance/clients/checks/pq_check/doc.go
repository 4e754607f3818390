// Command pq_check runs lib/pq, through database/sql, against the server that PG* names.
package main
