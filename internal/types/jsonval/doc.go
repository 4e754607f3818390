// Package jsonval reads JSON text as Postgres's json and jsonb do: validation
// with Postgres's messages, jsonb's canonical text, its order, and the tree that
// the operators work on.
package jsonval
