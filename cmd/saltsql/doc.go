// Command saltsql serves typed SQL tables on Cloud Bigtable, or on an embedded
// store, over the Postgres protocol.
//
//	saltsql demo      real data in salted tables, three queries, then a server
//	saltsql serve     a server
//	saltsql verifier  a line for the file of users
//	saltsql version   what this is
//
// It is the only importer of the store adapters: open_store.go maps a store
// URL to one.
package main
