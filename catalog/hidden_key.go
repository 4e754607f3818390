package catalog

import (
	"slices"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Rows are stored by their key, so a table that is made without one gets a column
// that nobody sees who does not name it:
//
//	rowid bigint   unique_rowid() of each row that is inserted
//
// It is the last of Table.Columns, has a number below those of PostgreSQL's system
// columns, and is no constraint. Its values grow with the time, so its rows are
// salted unless SALT_BUCKETS says otherwise.
const (
	hiddenKeyName    = "rowid"
	hiddenKeyID      = -8
	hiddenKeyBuckets = 16
)

// HiddenKey gives the key of a table that was made without one; nil if it has its own.
func (t *Table) HiddenKey() *Column {
	if n := len(t.Columns); n > 0 && t.Columns[n-1].Hidden {
		return &t.Columns[n-1]
	}
	return nil
}

// Visible gives the columns that * lists: all but a hidden key.
func (t *Table) Visible() []Column {
	if t.HiddenKey() != nil {
		return t.Columns[:len(t.Columns)-1]
	}
	n := len(t.Columns)
	for n > 0 && t.Columns[n-1].OfMap && !t.Columns[n-1].Dynamic {
		n--
	}
	return t.Columns[:n]
}

// addHiddenKey gives a table in the making its key.
func (t *Table) addHiddenKey(def *TableDef) {
	if !slices.ContainsFunc(def.Options, func(o OptionDef) bool { return strings.EqualFold(o.Name, "SALT_BUCKETS") }) {
		t.Options.SaltBuckets, t.SaltByDefault = hiddenKeyBuckets, true
	}
	c := Column{ID: hiddenKeyID, Type: types.Of(types.Int8), NotNull: true, Hidden: true}
	c.Store, _ = StorageColumn(c.Type) // bigint has one
	t.PrimaryKey = []int{len(t.Columns)}
	t.Columns = append(t.Columns, c)
	t.NameHiddenKey()
}

// NameHiddenKey gives a hidden key a name that no other column has.
func (t *Table) NameHiddenKey() {
	k := t.HiddenKey()
	if k == nil {
		return
	}
	k.Name = UniqueName(func(n int) string {
		if n == 0 {
			return hiddenKeyName
		}
		return hiddenKeyName + "_" + strconv.Itoa(n)
	}, func(name string) bool {
		return slices.ContainsFunc(t.Visible(), func(c Column) bool { return c.Name == name })
	})
}

// VisibleColumn finds a column of that name that is not hidden; nil if there is none.
func (t *Table) VisibleColumn(name string) *Column {
	if c := t.ColumnByName(name); c != nil && !c.Hidden {
		return c
	}
	return nil
}

// RefuseHidden refuses to change a hidden key, in PostgreSQL's words: 0A000.
func (t *Table) RefuseHidden(doing, name string, pos int) error {
	if k := t.HiddenKey(); k == nil || k.Name != name {
		return nil
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, `cannot %s system column "%s"`, doing, name).
		WithHint("It is the key of a table that was made without one: create a table with the key you want and fill it with INSERT INTO ... SELECT.").At(pos)
}
