// Command pgx_check runs pgx against the server that PG* names: values of types in text and
// binary, the ways of asking, batches, COPY, transactions, notifications, and types of users.
package main
