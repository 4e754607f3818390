package ddl

import (
	"context"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// keyOptions takes what options say of a table's key. A dump declares a key when the rows
// are there already, and without its order; so that they are stored by it from the start,
// the options that a dump repeats have it too:
//
//	CREATE TABLE t (…) WITH (primary_key = 'host, ts DESC', salt_columns = 'host')
//
// Values are read as the lists that they are: names in quotes keep what they are. key is nil
// where no option has one.
func keyOptions(opts []catalog.OptionDef) (rest []catalog.OptionDef, key []catalog.KeyDef, err error) {
	for _, o := range opts {
		isKey := strings.EqualFold(o.Name, "primary_key")
		if o.Namespace != "" || !isKey && !strings.EqualFold(o.Name, "salt_columns") {
			rest = append(rest, o)
			continue
		}
		if o.List == nil {
			cols, err := dialect.ParseKeyColumns(o.Value)
			if err != nil {
				return nil, nil, badKeyOption(o)
			}
			if isKey {
				key, err = keyDefs(&tree.KeyConstraint{Columns: cols, Pos: o.Pos})
				for i := range key {
					key[i].Pos = o.Pos
				}
				if err != nil {
					return nil, nil, at(err, o.Pos)
				}
				continue
			}
			o.List, o.HasValue = names(cols), false
		} else if isKey {
			for _, n := range o.List {
				key = append(key, catalog.KeyDef{Name: n, Pos: o.Pos})
			}
			continue
		}
		rest = append(rest, o)
	}
	return rest, key, nil
}

// indexOptions are the options of an index: it takes SALT_COLUMNS as a table does.
func indexOptions(opts []tree.Option) ([]catalog.OptionDef, error) {
	rest, key, err := keyOptions(optionDefs(opts))
	if key != nil {
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, `unrecognized parameter "primary_key"`).At(key[0].Pos)
	}
	return rest, err
}

func badKeyOption(o catalog.OptionDef) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for table option %s: %q", strings.ToUpper(o.Name), o.Value).
		WithDetail("Valid values are columns, as in %s = 'a, b'.", strings.ToLower(o.Name)).At(o.Pos)
}

func names(cols []tree.KeyCol) []string {
	list := make([]string, len(cols))
	for i := range cols {
		list[i] = cols[i].Name
	}
	return list
}

// addKey is ADD CONSTRAINT … PRIMARY KEY of a table without a key.
func (r *Runner) addKey(ctx context.Context, u *tree.AlterTable, t *catalog.Table) (catalog.Notices, error) {
	c := u.Actions[0].Constraint
	act, err := primaryKey(c.Primary, c.Name)
	if err != nil {
		return nil, err
	}
	notices, err := r.Catalog.AddKey(ctx, r.catalogName(u.Name), act, func(ctx context.Context, from, to *catalog.Table) error {
		return keyFault(r.Host.CopyRows(ctx, from, to, nil), to)
	})
	r.Host.Truncated([]*catalog.Table{t}) // what was measured were other keys
	return notices, r.Host.StorageError(ctx, err)
}

// retype is ALTER TABLE … ALTER COLUMN … TYPE where rows have to be written anew, with what stands
// beside it; false where they have not.
func (r *Runner) retype(ctx context.Context, u *tree.AlterTable) (_ catalog.Notices, rewrites bool, err error) {
	t := r.target(u)
	if t == nil {
		return nil, false, nil // the catalog says so
	}
	using := map[string]*tree.SourceExpr{}
	for i := range u.Actions {
		a := &u.Actions[i]
		if a.Kind != tree.AlterType {
			continue
		}
		act, err := r.alterType(a)
		if err != nil {
			return nil, false, err
		}
		if a.Using != nil {
			using[a.Column] = a.Using
		}
		rewrites = rewrites || act.Rewrites(t)
	}
	if !rewrites {
		return nil, false, nil
	}
	var acts []live.AlterAction
	for i := range u.Actions {
		list, err := r.alterActions(ctx, u, &u.Actions[i])
		if err != nil {
			return nil, true, err
		}
		acts = append(acts, list...)
	}
	inTurn(acts)
	notices, err := r.Catalog.AlterWritten(ctx, r.catalogName(u.Name), u.IfExists, acts, r.alterHooks(), func(ctx context.Context, from, to *catalog.Table) error {
		return keyFault(r.Host.CopyRows(ctx, from, to, using), to)
	})
	r.Host.Truncated([]*catalog.Table{t}) // what was measured were other values
	return notices, true, r.Host.StorageError(ctx, err)
}

func (r *Runner) alterType(a *tree.AlterAction) (live.AlterType, error) {
	if a.Text != "" && a.Text != "C" && a.Text != "POSIX" && a.Text != "default" {
		return live.AlterType{}, unsupportedAt(a.Pos, `Text compares by bytes, collation "C", which is key order.`, "collation %q is not supported", a.Text)
	}
	t, store, err := r.columnType(a.Type)
	return live.AlterType{Column: a.Column, Type: t, Store: store, Using: a.Using != nil, Pos: a.Pos}, err
}

// keyFault words what keeps rows from having a key as PostgreSQL does.
func keyFault(err error, t *catalog.Table) error {
	e := sqlerr.As(err)
	switch {
	case e == nil:
	case e.Code == sqlerr.UniqueViolation:
		detail := strings.TrimSuffix(e.Detail, " already exists.")
		if detail != "" {
			detail += " is duplicated."
		}
		return sqlerr.New(sqlerr.UniqueViolation, `could not create unique index "%s"`, e.Constraint).
			WithDetail("%s", detail).WithConstraint(t.Name, e.Constraint).InSchema(t.Schema)
	case e.Code == sqlerr.NotNullViolation:
		return sqlerr.New(sqlerr.NotNullViolation, `column "%s" of relation "%s" contains null values`, e.Column, t.Name).WithColumn(t.Name, e.Column).InSchema(t.Schema)
	}
	return err
}

func primaryKey(k *tree.KeyConstraint, name string) (live.AddPrimaryKey, error) {
	var none live.AddPrimaryKey
	if k.UsingIndex != "" {
		return none, unsupportedAt(k.Pos, "Name the key in CREATE TABLE.", "ADD PRIMARY KEY USING INDEX is not supported")
	}
	if len(k.Options) > 0 {
		return none, unsupportedAt(k.Pos, "Options belong to the table: write them behind CREATE TABLE.", "options of a primary key are not supported")
	}
	keys, err := keyDefs(k)
	if k.Name != "" {
		name = k.Name
	}
	return live.AddPrimaryKey{Name: name, Key: keys, Pos: k.Pos}, err
}
