// Package entry knows what entries rows have in indexes, and reads the entries of stores
// that are not atomic over rows.
//
//	row --> Maker --> Entry          of a batch of rows; pure
//	index's table --> Verified --> scans above      entries with marks are looked up
//	entries --> Mender               what died writes left: made anew, or removed
//
// exec/write writes entries by it, exec/scan reads them. How the marks come and go is said
// in storage/txn/staged.go. It must never give an entry that its row does not have, nor
// remove one that a write under way may need.
package entry
