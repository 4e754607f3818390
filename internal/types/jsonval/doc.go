// Package jsonval reads JSON text as Postgres's json and jsonb do: validation
// with Postgres's messages, jsonb's canonical text, its order, parts found in a text,
// and the tree that what changes a document works on.
package jsonval
