package ddl

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// extensionName is the one extension: what saltsql has beyond PostgreSQL. It is always there.
const extensionName = "saltsql"

// createExtension is CREATE EXTENSION: 42710 of what is there, 0A000 of any other.
func createExtension(u *tree.CreateExtension) (catalog.Notices, error) {
	switch {
	case u.Name == extensionName && u.IfNotExists:
		return catalog.Notices{sqlerr.Notice(sqlerr.DuplicateObject, `extension "%s" already exists, skipping`, u.Name)}, nil
	case u.Name == extensionName:
		return nil, sqlerr.New(sqlerr.DuplicateObject, `extension "%s" already exists`, u.Name).At(u.Pos)
	}
	return nil, sqlerr.New(sqlerr.FeatureNotSupported, `extension "%s" is not available`, u.Name).
		WithHint("There is only what is built in: all functions of PostgreSQL's core that docs/functions.md lists, among them gen_random_uuid, and pg_stat_statements.").At(u.Pos)
}
