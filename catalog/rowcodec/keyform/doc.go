// Package keyform is the row keys of tables whose rows others write, in formats of their own.
//
//	'm#' SALT fnv1a(host) % 16 DECIMAL WIDTH 2 '#' host '#' (MAX - ts WIDTH 19)
//	m#07#web-1#9223370321854775807
//
//	Format      lead, salt and parts of a key; Bind makes the prefixes of its buckets
//	Salt        the formula of a prefix, hash(args) % n
//	Form        how a column's values are written
//	Column      a column with its form: Append, Decode and Next for keys, Clip for conditions
//
// Package rowcodec calls it with the bytes that its own types have, and keeps all else that it knows of
// keys; catalog stores a Format, internal/ddl makes one of a statement. It calls keyhash and bound.
//
// It must never write what it does not read as it was, nor read as a value what it would not write so.
package keyform
