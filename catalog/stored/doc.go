// Package stored is the form in which the catalog's objects are kept: JSON, both ways.
//
//	versions: a row of the system table  <-- Encode, Decode -->  catalog.Table, View, Role, …
//
//	{"format":1,"kind":"table","id":16385,"version":7,"state":"public", …}
//	         |
//	         '-- what a server must know of to read it, and to write it anew (format.go)
//
// Package versions calls it; it calls catalog. A descriptor is written in the least format
// that holds what it has, so that servers of before go on with all that they know.
//
// It must never read a field that is not its own: the values' Go types may change, what is
// stored may not. It must never accept a format above its own.
package stored
