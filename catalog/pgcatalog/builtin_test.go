package pgcatalog

import (
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/types"
)

// TestRegistries holds the registries of functions, operators and casts to what
// PostgreSQL says of them: what is there is one of its overloads, with its result.
func TestRegistries(t *testing.T) {
	procs := map[uint32]*ProcFact{}
	for i := range procFacts() {
		procs[procFacts()[i].OID] = &procFacts()[i]
	}
	for _, x := range inOrder(builtin.Functions()) {
		p := procOf(x)
		switch {
		case p == nil && (reservedWord(x.Name) || unlisted(x.Name) || notPostgres[x.Name] || expr.OfExtension[x.Name]): // no functions, or not PostgreSQL's own
		case p == nil:
			t.Errorf("PostgreSQL has no function %s(%s)", x.Name, typeList(x.Args))
		case x.Result != p.Result && !(x.Set && len(x.Columns) > 1):
			t.Errorf("%s(%s) gives %s, in PostgreSQL %s", x.Name, typeList(x.Args), TypeText(x.Result, -1), TypeText(p.Result, -1))
		case x.Set || asksSession[x.Name]: // is not kept in tables
		case immutable(x) != (p.Volatile == 'i') && signature(x.Name, x.Args) != ageInZone:
			t.Errorf("%s(%s) is immutable: %t, in PostgreSQL %c", x.Name, typeList(x.Args), immutable(x), p.Volatile)
		}
	}
	for _, x := range inOrder(builtin.Aggregates()) {
		if p := procOf(x); p == nil || p.Kind != 'a' {
			t.Errorf("PostgreSQL has no aggregate %s(%s)", x.Name, typeList(x.Args))
		}
	}
	for _, x := range inOrder(builtin.Operators()) {
		if o := operatorBySignature()[signature(x.Name, x.Args)]; o == nil {
			t.Errorf("PostgreSQL has no operator %s(%s)", x.Name, typeList(x.Args))
		} else if o.result != x.Result {
			t.Errorf("%s(%s) gives %s, in PostgreSQL %s", x.Name, typeList(x.Args), TypeText(x.Result, -1), TypeText(o.result, -1))
		} else if p := procs[o.code]; p != nil && immutable(x) != (p.Volatile == 'i') {
			t.Errorf("operator %s(%s) is immutable: %t, in PostgreSQL %c", x.Name, typeList(x.Args), immutable(x), p.Volatile)
		}
	}
	contexts := map[byte]expr.CastContext{'i': expr.Implicit, 'a': expr.Assignment, 'e': expr.Explicit}
	known := map[[2]uint32]*castFact{}
	for i := range castFacts() {
		c := &castFacts()[i]
		known[[2]uint32{c.source, c.target}] = c
	}
	for c := range builtin.Casts() {
		from, to := types.Of(c.From), types.Of(c.To)
		if f := known[[2]uint32{from.OID(), to.OID()}]; f == nil {
			t.Errorf("PostgreSQL has no cast from %s to %s", from, to)
		} else if contexts[f.context] != c.Context {
			t.Errorf("the cast from %s to %s is made in context %d, in PostgreSQL %c", from, to, c.Context, f.context)
		} else if p := procs[f.fn]; p != nil && (p.Volatile == 'i') == c.Stable {
			t.Errorf("the cast from %s to %s is stable: %t, in PostgreSQL %c", from, to, c.Stable, p.Volatile)
		}
	}
}

func immutable(x builtin.Builtin) bool { return !x.Stable && !x.Volatile }

// asksSession lists what PostgreSQL calls immutable and an expression of a table cannot call here,
// since only a session answers.
var asksSession = map[string]bool{
	"acldefault": true, "pg_encoding_max_length": true, "pg_partition_root": true,
	"information_schema._pg_char_max_length": true, "information_schema._pg_char_octet_length": true, "information_schema._pg_datetime_precision": true,
	"information_schema._pg_interval_type": true, "information_schema._pg_numeric_precision": true, "information_schema._pg_numeric_precision_radix": true,
	"information_schema._pg_numeric_scale": true,
}

// ageInZone follows the time zone, though PostgreSQL calls it immutable: an index of it would have
// entries that a session in another zone does not find.
var ageInZone = signature("age", []uint32{types.Of(types.Timestamptz).OID(), types.Of(types.Timestamptz).OID()})

// TestTextOfTypes compares the casts that are made by the text of a type with how PostgreSQL calls
// its input and output functions.
func TestTextOfTypes(t *testing.T) {
	procs := map[uint32]*ProcFact{}
	for i := range procFacts() {
		procs[procFacts()[i].OID] = &procFacts()[i]
	}
	// What follows a parameter here and is immutable in PostgreSQL all the same: an index would
	// have entries that a session with other parameters does not find.
	follows := map[types.Kind]bool{types.Float4: true, types.Float8: true, types.Bytea: true, types.Interval: true}
	text := types.Of(types.Text)
	for _, k := range types.Kinds() {
		for _, of := range []types.T{types.Of(k), types.ArrayOf(types.Of(k))} {
			f := typeByOID()[of.OID()]
			if f == nil || of.Kind == types.Text {
				continue
			}
			if c, ok := expr.FindCast(of, text, expr.Explicit); ok && c.Via == expr.ViaOutput && !follows[k] {
				if p := procs[f.output]; p != nil && c.Stable != (p.Volatile != 'i') {
					t.Errorf("%s to text is stable: %t, in PostgreSQL %s is %c", of, c.Stable, p.Bare, p.Volatile)
				}
			}
			if c, ok := expr.FindCast(text, of, expr.Explicit); ok && c.Via == expr.ViaInput {
				if p := procs[f.input]; p != nil && c.Stable != (p.Volatile != 'i') {
					t.Errorf("text to %s is stable: %t, in PostgreSQL %s is %c", of, c.Stable, p.Bare, p.Volatile)
				}
			}
		}
	}
}

var notPostgres = map[string]bool{"unique_rowid": true, "pg_stat_statements_reset": true, "reverse_labels": true}

// TestParts reads back what partOID writes.
func TestParts(t *testing.T) {
	for _, owner := range []uint32{firstUser, firstUser + 1, firstUser + 1<<ownerBits - 1} {
		for _, part := range []int{0, 1, partDefault + 1600, partCheck + 3, 1<<partBits - 1} {
			o, p, ok := ownerOf(partOID(owner, part))
			if !ok || o != owner || p != part {
				t.Errorf("part %d of %d is read as part %d of %d", part, owner, p, o)
			}
		}
	}
	if _, _, ok := ownerOf(partOID(firstUser+1<<ownerBits, 0)); ok {
		t.Error("the OID of a part of a large ID tells its owner")
	}
}
