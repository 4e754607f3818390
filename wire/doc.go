// Package wire is the Postgres protocol.
package wire
