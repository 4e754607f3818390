package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/internal/ident"
)

// Salt is a way to spread the rows of a table.
type Salt struct {
	Buckets int      // 0 is none
	Columns []string // of the primary key; empty is the whole key
}

// Salt is how new rows of the table are spread.
func (t *Table) Salt() Salt { return Salt{t.Options.SaltBuckets, t.Options.SaltColumns} }

// Equal says that both spread rows alike, as far as their text tells.
func (s Salt) Equal(o Salt) bool {
	return s.Buckets == o.Buckets && (s.Buckets == 0 || slices.Equal(s.Columns, o.Columns))
}

// String is the salt for people: "16, tenant", "16, whole key" or "0".
func (s Salt) String() string {
	switch {
	case s.Buckets == 0:
		return "0"
	case len(s.Columns) == 0:
		return fmt.Sprintf("%d, whole key", s.Buckets)
	}
	return fmt.Sprintf("%d, %s", s.Buckets, strings.Join(s.Columns, ", "))
}

// DDL is the ALTER TABLE that gives t the salt: all its rows, or those that are new by a column that
// grows, if one is given.
func (s Salt) DDL(t *Table, forward string) string {
	text := fmt.Sprintf("ALTER TABLE %s SET SALT_BUCKETS = %d", QualifiedName(t.Schema, t.Name), s.Buckets)
	if s.Buckets > 0 && !slices.Equal(s.Columns, t.Options.SaltColumns) {
		of := s.Columns
		if len(of) == 0 { // which no option says: all columns of the key are hashed alike
			for _, c := range t.PrimaryKey {
				of = append(of, t.Columns[c].Name)
			}
		}
		quoted := make([]string, len(of))
		for i, c := range of {
			quoted[i] = ident.Quote(c)
		}
		text += ", SALT_COLUMNS = (" + strings.Join(quoted, ", ") + ")"
	}
	if forward != "" {
		text += " FORWARD ON (" + ident.Quote(forward) + ")"
	}
	return text
}

// WithSalt is the table as ALTER TABLE … SET SALT_BUCKETS would leave it, with one layout for all
// rows: a plan may be made by it, which can be shown and not run. The error is that of the ALTER.
func (t *Table) WithSalt(s Salt) (*Table, error) {
	cp := t.Clone()
	cp.Options.SaltBuckets, cp.Options.SaltColumns = s.Buckets, s.Columns
	if s.Buckets == 0 {
		cp.Options.SaltColumns = nil
	}
	cp.Rewrite, cp.Epochs = nil, nil
	return cp, cp.Finish()
}

// SaltChanges says that the salt of the table can be changed: it is nobody else's format.
func (t *Table) SaltChanges() bool {
	return !t.Adopted && t.KeyFormat == nil && !IsTemporary(t) && t.Materialized == nil
}
