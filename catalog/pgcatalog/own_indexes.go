package pgcatalog

import "github.com/saltsql/saltsql/catalog"

// IndexAdvice is an index that would have spared statements rows.
type IndexAdvice struct {
	Table           *catalog.Table
	Definition      string
	Statements      int   // shapes of statements that it would serve
	Calls, RowsRead int64 // of these
	RowsSpared      int64 // about how many of RowsRead it would have spared
	Writes          int64 // statements that wrote the table
	Query           string
}

func init() {
	Source(OwnSchema+".hypothetical_indexes", ownHypotheticalIndexes)
	Source(OwnSchema+".index_advice", ownIndexAdvice)
}

func ownHypotheticalIndexes(q *Query) error {
	for _, t := range q.Supposed() {
		for i := range t.Indexes {
			ix := &t.Indexes[i]
			if !catalog.Hypothetical(ix.ID) {
				continue
			}
			err := q.Row(oid(t.ID), text(t.Schema), text(t.Name), text(ix.Name), text(indexOf(t, ix).definition(q.Snap.In(q.SearchPath()), true)))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func ownIndexAdvice(q *Query) error {
	for _, a := range q.IndexAdvice(q.seesStatementsOf) {
		err := q.Row(oid(a.Table.ID), text(a.Table.Schema), text(a.Table.Name), text(a.Definition), num(a.Statements), num(a.Calls),
			num(a.RowsRead), num(a.RowsSpared), num(a.Writes), text(a.Query))
		if err != nil {
			return err
		}
	}
	return nil
}
