package pgcatalog

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/types"
)

// relation is a virtual relation with what pg_attribute says of it beyond its columns.
type relation struct {
	catalog.Virtual
	// declared are the columns' types by OID: those of information_schema are domains.
	declared []uint32
	// collations are the columns', 0 for types without.
	collations []uint32
	// rowType and rowArray are the OIDs of the type of its rows, and of that of arrays of them.
	rowType, rowArray uint32
	// own says that PostgreSQL has no such relation.
	own bool
	// system is how many of the columns are system columns, whose values query.row adds.
	system int
}

// visible are the columns that * lists.
func (r *relation) visible() []catalog.VirtualColumn { return r.Columns[:len(r.Columns)-r.system] }

// rowsFunc computes the rows of a relation and gives them to q.row.
type rowsFunc = func(q *Query) error

// relations are all of them, by OID.
var (
	relations      []*relation
	relationByOID  = map[uint32]*relation{}
	relationsNamed = map[string][]*relation{}
	relationOfType = map[uint32]*relation{} // by the OIDs of its row type and of that of arrays
)

// sources are the rows of relations by their full names; the rel_*.go files fill it. A
// relation that is not in it is empty, as it is in a PostgreSQL whose users have not made
// what it lists: emptyByNature names those.
var sources = map[string]rowsFunc{}

// lookupColumns are the names of the columns that catalog.Virtual.Lookups is of.
var lookupColumns = map[string][]string{}

// Source says how the rows of a relation are computed. It is called by the init functions
// of files that come, by their names, before this one, and of packages that import this one.
func Source(name string, rows rowsFunc, lookup ...string) {
	sources[name], lookupColumns[name] = rows, lookup
	for _, r := range relations {
		if r.Schema+"."+r.Name == name {
			r.find(lookup)
		}
	}
}

// find has the relation found by the columns of these names.
func (r *relation) find(columns []string) {
	for _, name := range columns {
		r.Lookups = append(r.Lookups, slices.IndexFunc(r.Columns, func(c catalog.VirtualColumn) bool { return c.Name == name }))
	}
}

func init() {
	domains := map[string]*DomainFact{}
	for i := range DomainFacts() {
		domains[DomainFacts()[i].Name] = &DomainFacts()[i]
	}
	read("relations", func(f *fields) {
		r := &relation{Virtual: catalog.Virtual{ID: f.oid(), Schema: f.str(), Name: f.str(), Kind: "table"}}
		if f.char() == 'v' {
			r.Kind = "view"
		}
		r.rowType, r.rowArray = f.oid(), f.oid()
		for _, col := range strings.Split(f.str(), ",") {
			name, typ, _ := strings.Cut(col, " ")
			typ, collation, _ := strings.Cut(typ, "@")
			typ, notNull := strings.CutSuffix(typ, "!")
			r.addColumn(name, typ, notNull, domains)
			if collation != "" {
				n, _ := strconv.ParseUint(collation, 10, 32)
				r.collations[len(r.collations)-1] = uint32(n)
			}
		}
		add(r)
	})
	for i, o := range ownRelations {
		r := &relation{Virtual: catalog.Virtual{ID: firstOwnRelation + uint32(i), Schema: cmp.Or(o.schema, OwnSchema), Name: o.name, Kind: "view"}, own: true}
		r.rowType, r.rowArray = partOID(r.ID, partRowType), partOID(r.ID, partRowArray)
		for _, col := range o.columns {
			name, typ, _ := strings.Cut(col, " ")
			r.addColumn(name, typ, false, nil)
		}
		add(r)
	}
}

// systemColumns are those of the catalogs' tables, beside ctid: rows have no place here. No
// transaction is known to have made a row: all are frozen, and none is being deleted.
var systemColumns = []struct {
	name  string
	kind  types.Kind
	value int64 // of all but tableoid
}{{"tableoid", types.OID, 0}, {"xmin", types.XID, frozenXID}, {"cmin", types.CID, 0}, {"xmax", types.XID, 0}, {"cmax", types.CID, 0}}

// frozenXID is the transaction that is before all others: PostgreSQL's FrozenTransactionId.
const frozenXID = 2

func (r *relation) addColumn(name, typ string, notNull bool, domains map[string]*DomainFact) {
	c := catalog.VirtualColumn{Name: name, NotNull: notNull}
	var collation uint32
	if d := domains[strings.TrimPrefix(typ, "information_schema.")]; d != nil && strings.HasPrefix(typ, "information_schema.") {
		c.Type, _ = types.FromOID(d.Base, int32(d.Typmod))
		r.declared = append(r.declared, d.OID)
		collation = d.Collation
	} else {
		var ok bool
		if c.Type, ok = types.FromTypName(typ); !ok {
			c.Type = types.ArrayOf(types.Of(types.Record)) // of pg_statistic_ext_data, which is empty
		}
		r.declared = append(r.declared, c.Type.OID())
		collation = storageOf(c.Type).collation
	}
	r.Columns = append(r.Columns, c)
	r.collations = append(r.collations, collation)
}

func add(r *relation) {
	full := r.Schema + "." + r.Name
	r.Closed = r.Schema == "pg_catalog" && slices.Contains(closed, strings.TrimPrefix(r.Name, "pg_"))
	r.Rows = func(world catalog.VirtualWorld, equal map[int]types.Datum, yield func([]types.Datum) bool) error {
		rows := sources[full]
		if rows == nil {
			return nil
		}
		q := &Query{rel: r, equal: equal, yield: yield}
		var ok bool
		if q.World, ok = world.(World); !ok {
			return unanswerable(full)
		}
		q.Snap = world.Snapshot()
		if err := rows(q); err != errEnough {
			return err
		}
		return nil
	}
	if r.Kind == "table" {
		for i, c := range systemColumns {
			r.Columns = append(r.Columns, catalog.VirtualColumn{Name: c.name, Type: types.Of(c.kind), NotNull: true, System: true})
			r.declared = append(r.declared, types.Of(c.kind).OID())
			r.system = i + 1
		}
	}
	r.find(lookupColumns[full])
	relations = append(relations, r)
	relationByOID[r.ID], relationsNamed[r.Name] = r, append(relationsNamed[r.Name], r)
	relationOfType[r.rowType], relationOfType[r.rowArray] = r, r
	catalog.RegisterVirtual(&r.Virtual)
}
