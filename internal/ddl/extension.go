package ddl

import (
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// createExtension is CREATE EXTENSION: 42710 of what is there, as all extensions are that can be;
// 0A000 of any other.
func createExtension(u *tree.CreateExtension) (catalog.Notices, error) {
	switch there := catalog.ExtensionNamed(u.Name) != nil; {
	case there && u.IfNotExists:
		return catalog.Notices{sqlerr.Notice(sqlerr.DuplicateObject, `extension "%s" already exists, skipping`, u.Name)}, nil
	case there:
		return nil, sqlerr.New(sqlerr.DuplicateObject, `extension "%s" already exists`, u.Name).
			WithHint("It is built in: write CREATE EXTENSION IF NOT EXISTS, or leave it out.").At(u.Pos)
	}
	var names []string
	for _, e := range catalog.Extensions {
		names = append(names, e.Name)
	}
	return nil, sqlerr.New(sqlerr.FeatureNotSupported, `extension "%s" is not available`, u.Name).
		WithHint("There is only what is built in: all functions of PostgreSQL's core that docs/functions.md lists, and what it lists of %s.", strings.Join(names, ", ")).At(u.Pos)
}

// mayDropExtensions is 2BP01 for an extension that is there, as they are built in.
func mayDropExtensions(names []tree.Name) error {
	for _, n := range names {
		if catalog.ExtensionNamed(n.Name) != nil {
			return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop extension %s because it is required by the database system", n.Name).At(n.Pos)
		}
	}
	return nil
}

// commentOnExtension takes the comment that an extension has, which dumps repeat; 0A000 for others.
func commentOnExtension(u *tree.Comment, text string) error {
	switch e := catalog.ExtensionNamed(u.Name.Name); {
	case e == nil:
		return sqlerr.New(sqlerr.UndefinedObject, `extension "%s" does not exist`, u.Name.Name)
	case e.Comment != text:
		return unsupportedAt(u.Pos, "It is built in, with its comment: leave it out.", "a comment on extension %s is not supported", e.Name)
	}
	return nil
}
