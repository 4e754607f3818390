// Package maintenance goes over the rows of tables for their own sake: ANALYZE, VACUUM, REINDEX
// and CHECK TABLE, and the filling of new indexes.
//
//	session -- tree.Reindex, tree.CheckTable -->  Runner  -- write.CheckIndex, CheckSalt -->  rows
//	                                                |
//	   Host: names, notices, who asks  <------------+------->  stats.Estimates: what is known
//
//	catalog/jobs -- FillIndexes -->  write.Filler
//
// The session calls it, and is asked through Host for what only a session knows. It works on
// a table as it is stored now, and begins again where its rows were put elsewhere meanwhile.
//
// It must never know a session, nor take part in its transaction: what it writes, entries of
// indexes, is committed by itself.
package maintenance
