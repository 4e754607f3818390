// Package changelog is the list of rows that were written while another copy of their table
// is made: whoever makes the copy reads them again. storage/txn appends to it, catalog reads
// it and keeps the copy.
//
// It is a storage table of its own, of which each row names any number of row keys:
//
//	16 random bytes   l:k   the keys, each behind its length as a uvarint
//	                  l:d   empty: the writes of these rows have ended
//
// Where a store commits several rows or none, an entry is written with the rows, ended. Else
// it stands before any of its rows is written, and is ended afterwards. Who reads may forget
// an entry that has ended once it has read the rows anew; one that has not ended may be of a
// write that is still under way, or whose server died, and only tells something when nobody
// writes any more.
//
// It must never be written after a row that it names.
package changelog
