package live

import (
	"fmt"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Numbers of the advice.
const (
	manyBuckets  = 64  // over it, a scan's N reads cost more than most tables gain
	manyFamilies = 100 // Bigtable's own advice for a table
	hashFactor   = 31  // of phoenix31
)

// advise says what CREATE TABLE lets pass and is seldom meant. Each NOTICE says
// why and what to write instead.
func advise(t *catalog.Table, def *catalog.TableDef) catalog.Notices {
	var ns catalog.Notices
	note := func(hint, format string, args ...any) {
		e := sqlerr.Notice(sqlerr.Warning, format, args...)
		e.Hint = hint
		ns.Add(e)
	}
	if k := t.HiddenKey(); k != nil {
		note("Name the columns that rows are found by: PRIMARY KEY (a, b).",
			`table "%s" has no primary key: its rows are stored by a hidden column "%s"`, t.Name, k.Name)
	}
	ns = append(ns, adviseSalt(t)...)
	n := t.Options.SaltBuckets
	lead := &t.Columns[t.PrimaryKey[0]]
	if why := sequential(lead, def); why != "" && n == 0 {
		note(fmt.Sprintf("Add SALT_BUCKETS = 8 after the column list, or lead the key with a column that spreads writes, as in PRIMARY KEY (%s).", promoted(t)),
			`the primary key of table "%s" leads with "%s", %s: all new rows go to one end of the table, that is, to one tablet`,
			t.Name, lead.Name, why)
	}
	if n > 1 && spreads(lead) {
		note("Leave SALT_BUCKETS out: scans then read one range instead of one per bucket.",
			`the primary key of table "%s" leads with "%s" of type %s, whose values spread writes by themselves: salt only makes scans dearer`,
			t.Name, lead.Name, lead.Type)
	}
	if f := len(t.Families()); f > manyFamilies {
		note("Name fewer column families: columns that are read together belong into one.",
			"table \"%s\" has %d column families; stores work best with at most %d", t.Name, f, manyFamilies)
	}
	return ns
}

// adviseSalt is what advise says of the number of buckets, whenever it is chosen.
func adviseSalt(t *catalog.Table) (ns catalog.Notices) {
	n := t.Options.SaltBuckets
	if n > 0 && n%hashFactor == 0 {
		ns.Add(sqlerr.Notice(sqlerr.Warning,
			"SALT_BUCKETS = %d is a multiple of %d, the factor of the salt's hash: keys that differ at a distance, such as days, fall into few buckets", n, hashFactor).
			WithHint("Write SALT_BUCKETS = %d.", nearPowerOfTwo(n)))
	}
	if n > manyBuckets {
		ns.Add(sqlerr.Notice(sqlerr.Warning, "SALT_BUCKETS = %d makes every scan of table \"%s\" that does not bind the whole key read %d ranges", n, t.Name, n).
			WithHint("8 to 32 buckets spread the writes of most tables; a point read reads one row whatever the number."))
	}
	return ns
}

// sequential says why a column's values grow with time; "" if they need not.
func sequential(c *catalog.Column, def *catalog.TableDef) string {
	for i := range def.Columns {
		if def.Columns[i].Name == c.Name && (def.Columns[i].Identity != 0 || def.Columns[i].Default.Sequence != 0) {
			return "which counts up"
		}
	}
	switch c.Type.Kind {
	case types.Timestamp, types.Timestamptz, types.Date:
		return "which grows with time"
	}
	return ""
}

// spreads says that a column's values are random by nature.
func spreads(c *catalog.Column) bool { return c.Type.Kind == types.UUID }

// promoted gives a key that leads with another of the key's columns, or with
// one to be thought of.
func promoted(t *catalog.Table) string {
	cols := make([]string, 0, len(t.PrimaryKey)+1)
	show := func(i int) string {
		c := &t.Columns[i]
		if c.Desc {
			return ident.Quote(c.Name) + " DESC"
		}
		return ident.Quote(c.Name)
	}
	if len(t.PrimaryKey) == 1 {
		return "source, " + show(t.PrimaryKey[0])
	}
	for _, i := range t.PrimaryKey[1:] {
		cols = append(cols, show(i))
	}
	return strings.Join(append(cols, show(t.PrimaryKey[0])), ", ")
}

func nearPowerOfTwo(n int) int {
	p := 1
	for p*2 <= n+n/2 && p < 256 {
		p *= 2
	}
	return p
}
