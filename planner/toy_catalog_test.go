package planner

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/query"
	"github.com/saltsql/saltsql/planner/plan"
)

// toyCatalog holds tables without a store.
type toyCatalog struct {
	rels   map[string]catalog.Relation
	nextID uint32
}

func newToyCatalog() *toyCatalog {
	return &toyCatalog{rels: map[string]catalog.Relation{}, nextID: 16384}
}

func (c *toyCatalog) Resolve(path []string, schema, name string) (catalog.Relation, error) {
	if schema == "" || schema == "public" {
		if r := c.rels[name]; r != nil {
			return r, nil
		}
	}
	if schema != "" {
		name = schema + "." + name
	}
	return nil, sqlerr.New(sqlerr.UndefinedTable, `relation "%s" does not exist`, name)
}

func (c *toyCatalog) Member(id uint32) catalog.Relation { return c.ByID(id) }

func (c *toyCatalog) UserType(n catalog.Name, array bool) (types.T, error) {
	return new(catalog.Snapshot).UserType(n, array)
}

func (c *toyCatalog) ByID(id uint32) catalog.Relation {
	for _, r := range c.rels {
		if r.RelID() == id {
			return r
		}
	}
	return nil
}

// define runs a directive that makes a table:
//
//	table name=t salt=8 salt_columns=(a) adopted
//	a  int4   key
//	b  text   key desc
//	v  numeric(10,2)  not null  default 1
//	check positive: v > 0
//	index t_v: v desc, lower(b); include a; where v > 0; salt 4; unique; write-only
func (c *toyCatalog) define(t testing.TB, d *datadriven.TestData) {
	tab := &catalog.Table{Schema: "public", NextColumnID: 1, NextQualifier: 11, PrimaryKeyName: "pk"}
	tab.Options = catalog.Options{Hash: "phoenix31", ColumnEncodedBytes: 2, DefaultFamily: "0", Versions: 1}
	d.ScanArgs(t, "name", &tab.Name)
	if d.HasArg("salt") {
		d.ScanArgs(t, "salt", &tab.Options.SaltBuckets)
	}
	tab.Adopted = d.HasArg("adopted")
	if d.HasArg("packed") {
		tab.Options.Layout = rowcodec.SingleCellArrayWithOffsets
	}
	for _, a := range d.CmdArgs {
		if a.Key == "salt_columns" {
			tab.Options.SaltColumns = a.Vals
		}
	}
	c.nextID++
	tab.ID = c.nextID
	var indexes []string
	for _, line := range strings.Split(d.Input, "\n") {
		if rest, ok := strings.CutPrefix(line, "check "); ok {
			name, text, _ := strings.Cut(rest, ": ")
			tab.Checks = append(tab.Checks, catalog.Check{Name: name, Text: text})
			continue
		}
		if rest, ok := strings.CutPrefix(line, "index "); ok {
			indexes = append(indexes, rest)
			continue
		}
		if err := c.defineColumn(tab, line); err != nil {
			d.Fatalf(t, "%s: %v", line, err)
		}
	}
	if err := tab.Finish(); err != nil {
		d.Fatalf(t, "%v", err)
	}
	c.rels[tab.Name] = tab
	for _, line := range indexes {
		if err := c.defineIndex(tab, line); err != nil {
			d.Fatalf(t, "%s: %v", line, err)
		}
	}
}

func (c *toyCatalog) defineColumn(tab *catalog.Table, line string) error {
	line, def, _ := strings.Cut(line, " default ")
	col := catalog.Column{ID: tab.NextColumnID, Default: strings.TrimSpace(def), KeyPos: -1}
	tab.NextColumnID++
	words := strings.Fields(line)
	var typ []string
	for i, w := range words[1:] {
		switch {
		case w == "key":
			col.KeyPos, col.NotNull = len(tab.PrimaryKey), true
		case w == "desc":
			col.Desc = true
		case w == "not" && words[i+2] == "null":
			col.NotNull = true
		case w == "null":
			col.NotNull = words[i] == "not"
		case w == "always" || w == "identity":
			seq := &catalog.Sequence{ID: c.nextID + 1000, Schema: "public", Name: tab.Name + "_" + words[0] + "_seq"}
			c.rels[seq.Name] = seq
			col.Sequence, col.NotNull, col.Identity = seq.ID, true, 'd'
			if w == "always" {
				col.Identity = 'a'
			}
		case strings.HasPrefix(w, "family="):
			col.Family = w[len("family="):]
		default:
			typ = append(typ, w)
		}
	}
	col.Name = words[0]
	name, err := dialect.ParseTypeName(strings.Join(typ, " "))
	if err != nil {
		return err
	}
	if col.Type, err = (&query.Context{}).TypeOf(name); err != nil {
		return err
	}
	if col.Store, err = toyStore(col); err != nil {
		return err
	}
	if col.KeyPos >= 0 {
		tab.PrimaryKey = append(tab.PrimaryKey, len(tab.Columns))
	} else {
		if col.Family == "" {
			col.Family = "0"
		}
		col.Number = tab.NextQualifier
		if col.Qualifier, err = rowcodec.Qualifier(col.Number, 2); err != nil {
			return err
		}
		tab.NextQualifier++
	}
	tab.Columns = append(tab.Columns, col)
	return nil
}

// toyStore stores each type as CREATE TABLE does.
func toyStore(c catalog.Column) (rowcodec.Column, error) {
	byName := map[string]rowcodec.Type{
		"bool": rowcodec.Boolean, "int2": rowcodec.SmallInt, "int4": rowcodec.Integer, "int8": rowcodec.BigInt,
		"float4": rowcodec.Float, "float8": rowcodec.Double, "numeric": rowcodec.Decimal, "text": rowcodec.Varchar,
		"varchar": rowcodec.Varchar, "jsonb": rowcodec.Varchar, "bpchar": rowcodec.Char, "bytea": rowcodec.VarbinaryEncoded,
		"uuid": rowcodec.Binary, "date": rowcodec.Date, "time": rowcodec.Time,
		"timestamp": rowcodec.Timestamp, "timestamptz": rowcodec.Timestamp,
	}
	out := rowcodec.Column{Type: byName[c.Type.TypName()], SQL: c.Type}
	if out.Type == rowcodec.Invalid {
		return out, fmt.Errorf("the toy catalog does not store %s", c.Type)
	}
	if n, ok := c.Type.Length(); ok && out.Type == rowcodec.Char {
		out.Width = n
	}
	if out.Type == rowcodec.Binary {
		out.Width = 16
	}
	if out.Type == rowcodec.VarbinaryEncoded && c.KeyPos < 0 {
		out.Type = rowcodec.Varbinary
	}
	return out, nil
}

// defineIndex reads the line of an index. Its expressions are bound as those of a query.
func (c *toyCatalog) defineIndex(tab *catalog.Table, line string) error {
	name, def, _ := strings.Cut(line, ": ")
	c.nextID++
	ix := catalog.Index{ID: c.nextID, Name: name, Physical: name}
	stored := func(text string) (expr.Expr, expr.Stored, error) {
		list, err := dialect.Parse("SELECT " + text + " FROM " + tab.Name)
		if err != nil {
			return nil, "", err
		}
		p, err := Plan(&Context{Catalog: c, SearchPath: []string{"public"}, Options: Options{DisableAllRules: true}}, list[0])
		if err != nil {
			return nil, "", err
		}
		e := p.Root.(*plan.Project).Exprs[0]
		s, err := expr.Store(e, func(i int) int { return tab.Columns[i].ID })
		return e, s, err
	}
	for i, clause := range strings.Split(def, "; ") {
		word, rest, _ := strings.Cut(clause, " ")
		switch {
		case i == 0:
			for _, part := range strings.Split(clause, ", ") {
				text, desc := strings.CutSuffix(part, " desc")
				p := catalog.IndexPart{Desc: desc}
				if col := tab.ColumnByName(text); col != nil {
					p.Column = col.ID
				} else {
					e, s, err := stored(text)
					if err != nil {
						return err
					}
					p.Expr, p.Type = s, e.Type()
					if p.Store, err = toyStore(catalog.Column{Type: p.Type, KeyPos: -1}); err != nil {
						return err
					}
				}
				ix.Parts = append(ix.Parts, p)
			}
		case word == "include":
			for _, n := range strings.Split(rest, ", ") {
				ix.Include = append(ix.Include, tab.ColumnByName(n).ID)
			}
		case word == "where":
			var err error
			if _, ix.Where, err = stored(rest); err != nil {
				return err
			}
		case word == "salt":
			if _, err := fmt.Sscan(rest, &ix.SaltBuckets); err != nil {
				return err
			}
		case word == "unique":
			ix.Unique = true
		case word == "write-only":
			ix.State = catalog.IndexWriteOnly
		default:
			return fmt.Errorf("clause %q", clause)
		}
	}
	tab.Indexes = append(tab.Indexes, ix)
	return tab.Finish()
}

func (c *toyCatalog) defineView(t *testing.T, d *datadriven.TestData) {
	v := &catalog.View{Schema: "public", Query: catalog.ViewQuery{Text: d.Input}}
	d.ScanArgs(t, "name", &v.Name)
	c.nextID++
	v.ID = c.nextID
	c.rels[v.Name] = v
}
