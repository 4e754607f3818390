package pgcatalog

import (
	"fmt"
	"time"

	"github.com/saltsql/saltsql/catalog"
)

// SaltAdvice is a row of saltsql.advice.
type SaltAdvice struct {
	Table    *catalog.Table
	Rule     string
	Number   int // of the rule
	Since    time.Time
	Evidence string
	DDL      string
	Gain     float64 // 0 is not told
	Copies   bool
}

func init() { Source(OwnSchema+".advice", ownAdvice, "table_oid", "table_name") }

// rulesOfATable is how many rules there can be: IDs of advice stay what they are while the tables do.
const rulesOfATable = 64

// ownAdvice tells what the load of the last quarter of an hour calls for: 42501 for who may not see how
// the store is used.
func ownAdvice(q *Query) error {
	list, _, err := q.heatedTables()
	if err != nil {
		return err
	}
	for i := range list {
		if list[i].index != nil {
			continue
		}
		t := list[i].table
		found, err := q.SaltAdvice(q.Context(), t)
		if err != nil {
			return err
		}
		for _, a := range found {
			ddl, gain := null, null
			if a.DDL != "" {
				ddl = text(a.DDL)
			}
			if a.Gain > 0 {
				gain = float(a.Gain)
			}
			err := q.Row(num(int64(t.ID)*rulesOfATable+int64(a.Number)), oid(t.ID), text(t.Schema), text(t.Name), text(a.Rule), when(a.Since),
				text(a.Evidence), ddl, gain, text(q.costOf(t, &a)))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// costOf says what carrying out the DDL takes.
func (q *Query) costOf(t *catalog.Table, a *SaltAdvice) string {
	switch {
	case a.DDL == "":
		return "a change of the program"
	case !a.Copies:
		return "no row is copied"
	}
	cost := "all rows are copied"
	if n := q.EstimatedRows(t); n >= 0 {
		cost += fmt.Sprintf(", about %.0f", n)
	}
	var bytes int64
	for _, part := range t.Parts() {
		n, err := q.StoredBytes(q.Context(), part)
		if err != nil {
			return cost
		}
		bytes += n
	}
	return cost + fmt.Sprintf(", %d bytes", bytes)
}
