package bind

import (
	"github.com/saltsql/saltsql/planner/fail"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/expr"
)

// Stores of before expressions were kept bound have DEFAULT and CHECK as text. It is bound
// under the default settings, whatever those of the session are: one table, one
// meaning.

func (b writer) defaultOfText(c *catalog.Column) catalog.ColumnDefault {
	parsed := fail.Must(dialect.ParseExpr(c.Default))
	return writer{Binder: b.OfText()}.keepDefault(&parsed, c.Name, c.Type)
}

func (b writer) conditionOfText(t *catalog.Table, c *catalog.Check) expr.Stored {
	parsed := fail.Must(dialect.ParseExpr(c.Text))
	kept, _ := writer{Binder: b.OfText()}.keepCheck(&parsed, t.Name, TableScope(t))
	return kept
}
