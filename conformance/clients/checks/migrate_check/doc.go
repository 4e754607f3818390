// Command migrate_check has golang-migrate bring a schema up and down, tell its version, and run
// twice at once: by way of two servers of one store, where SECOND has the host and port of the other.
// It prints its checks as checks.py does.
package main
