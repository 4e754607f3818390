package bind

import (
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// Stores of before expressions were kept bound have DEFAULT and CHECK as text. It is bound
// under the default settings, whatever those of the session are: one table, one
// meaning.

func (b *binder) defaultOfText(c *catalog.Column) (catalog.ColumnDefault, error) {
	parsed, err := dialect.ParseExpr(c.Default)
	if err != nil {
		return catalog.ColumnDefault{}, err
	}
	return b.ofText().keepDefault(&parsed, c.Name, c.Type)
}

func (b *binder) conditionOfText(t *catalog.Table, c *catalog.Check) (expr.Stored, error) {
	parsed, err := dialect.ParseExpr(c.Text)
	if err != nil {
		return "", err
	}
	kept, _, err := b.ofText().keepCheck(&parsed, t.Name, TableScope(t))
	return kept, err
}

// ofText gives a binder for a stored text under the default settings.
func (b *binder) ofText() *binder {
	inner := b.ofStored()
	ctx := *b.ctx
	ctx.SearchPath = []string{catalog.PublicSchema}
	env := expr.Env{}
	if ctx.Env != nil {
		env = *ctx.Env
	}
	env.TimeZone, env.IO, env.SearchPath = time.UTC, types.IOEnv{}, ctx.SearchPath
	ctx.Env = &env
	inner.ctx = &ctx
	return inner
}
