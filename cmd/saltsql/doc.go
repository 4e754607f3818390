// Command saltsql serves typed SQL tables on Cloud Bigtable, or on an embedded
// store, over the Postgres protocol.
//
//	saltsql demo      real data in salted tables, three queries, then a server
//	saltsql serve     a server
//	saltsql verifier  a line for the file of users
//	saltsql backup, restore, verify    copies of an embedded store, while it is served
//	saltsql push, export, import       all rows of a store to another; tables as files
//	saltsql check, doctor              what is wrong with the rows; what is odd
//	saltsql config    the settings of serve, and where each comes from
//	saltsql upgrade   raises the format of an embedded store
//	saltsql version   what this is
//
// It is the only importer of the store adapters: open_store.go maps a store
// URL to one.
package main
