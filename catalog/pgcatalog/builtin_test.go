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
	for _, x := range inOrder(builtin.Functions()) {
		p := procOf(x)
		switch {
		case p == nil && (reservedWord(x.Name) || unlisted(x.Name) || notPostgres[x.Name] || expr.OfExtension[x.Name]): // no functions, or not PostgreSQL's own
		case p == nil:
			t.Errorf("PostgreSQL has no function %s(%s)", x.Name, typeList(x.Args))
		case x.Result != p.Result && !(x.Set && len(x.Columns) > 1):
			t.Errorf("%s(%s) gives %s, in PostgreSQL %s", x.Name, typeList(x.Args), TypeText(x.Result, -1), TypeText(p.Result, -1))
		case p.Volatile == 'v' && !x.Volatile && !x.Stable && !x.Set:
			t.Errorf("%s(%s) is volatile", x.Name, typeList(x.Args))
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
