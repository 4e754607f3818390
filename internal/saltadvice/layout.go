package saltadvice

import (
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// KeyPart is a column of a key.
type KeyPart struct {
	Column string
	Desc   bool
}

// Layout is a salt, and a key, that rows of a table may have.
type Layout struct {
	catalog.Salt
	Key []KeyPart // the columns of the table's key in another order; empty is as they are
}

// String is "16, tenant", with another key behind it: "0, key (tenant, ts DESC)".
func (l Layout) String() string {
	if len(l.Key) == 0 {
		return l.Salt.String()
	}
	parts := make([]string, len(l.Key))
	for i, p := range l.Key {
		parts[i] = p.Column
		if p.Desc {
			parts[i] += " DESC"
		}
	}
	return l.Salt.String() + ", key (" + strings.Join(parts, ", ") + ")"
}

// Of is t as if its rows were laid out so. 0A000 for a table whose salt is not to be changed, and for a
// key of other columns than it has; 42703 and 22023 for names that cannot be.
func (l Layout) Of(t *catalog.Table) (*catalog.Table, error) {
	if !t.SaltChanges() {
		return nil, sqlerr.Unsupported(`the salt of table "`+t.Name+`" cannot be changed`, "What if is told of tables that are neither attached nor temporary, nor materialized views.")
	}
	if l.Buckets == 0 && len(l.Columns) > 0 {
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "SALT_COLUMNS needs SALT_BUCKETS").WithHint("Add SALT_BUCKETS = n, 1 to 256.")
	}
	if len(l.Key) == 0 {
		return t.WithSalt(l.Salt)
	}
	cp := t.Clone()
	cp.PrimaryKey = nil
	for pos, p := range l.Key {
		at := -1
		for i := range cp.Columns {
			if cp.Columns[i].Name == p.Column {
				at = i
			}
		}
		switch {
		case at < 0:
			return nil, sqlerr.New(sqlerr.UndefinedColumn, `column "%s" of relation "%s" does not exist`, p.Column, t.Name)
		case t.Columns[at].KeyPos < 0:
			return nil, sqlerr.Unsupported(`what if is not told of keys with column "`+p.Column+`", which is not in the primary key`, "Only keys are sampled: name the columns of the present key in another order.")
		}
		for _, other := range cp.PrimaryKey {
			if other == at {
				return nil, sqlerr.New(sqlerr.DuplicateColumn, `column "%s" appears twice in primary key constraint`, p.Column)
			}
		}
		cp.Columns[at].KeyPos, cp.Columns[at].Desc = pos, p.Desc
		cp.PrimaryKey = append(cp.PrimaryKey, at)
	}
	if len(cp.PrimaryKey) < len(t.PrimaryKey) {
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "a key of what if has all columns of the present one, which alone tell rows apart").
			WithHint("Name all of: %s.", t.KeyText())
	}
	return cp.WithSalt(l.Salt)
}

// sameKey says that two forms of a table have the same key columns.
func sameKey(a, b *catalog.Table) bool {
	if len(a.PrimaryKey) != len(b.PrimaryKey) {
		return false
	}
	for i, c := range a.PrimaryKey {
		if b.PrimaryKey[i] != c || a.Columns[c].Desc != b.Columns[c].Desc {
			return false
		}
	}
	return true
}
