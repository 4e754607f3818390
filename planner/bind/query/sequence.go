package query

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/bind/scope"
	"github.com/saltsql/saltsql/planner/fail"
)

// sequenceUse is a NEXT or CURRENT VALUE FOR that one row of a level has.
type sequenceUse struct {
	level   *scope.Level // nil: VALUES of a write
	id      uint32
	current bool
}

// NextRow says that what is bound next at the level gives another row.
func (b *Binder) NextRow(l *scope.Level) {
	b.sequences = slices.DeleteFunc(b.sequences, func(u sequenceUse) bool { return u.level == l })
}

// bindSequenceValue makes Phoenix's NEXT VALUE FOR s, NEXT n VALUES FOR s and CURRENT VALUE
// FOR s calls of nextval('s'), next_values('s', n) and currval('s'). In Phoenix all of them
// in one row are one draw and one value, which calls are not: 0A000.
func (b *Binder) bindSequenceValue(p *scope.Place, n *tree.SequenceValue) expr.Expr {
	pos := b.At(n.Sequence.Pos)
	seq := b.Resolve(n.Sequence.Schema, n.Sequence.Name, pos)
	for _, u := range b.sequences {
		if u.level == p.Level && u.id == seq.RelID() && !(u.current && n.Current) {
			panic(sqlerr.Unsupported("NEXT VALUE FOR and another value of that sequence in one row are not supported",
				"Draw once: SELECT v, v FROM (SELECT NEXT VALUE FOR s AS v) AS d. For two values call nextval('s') twice.").At(b.Pos(n)))
		}
	}
	b.sequences = append(b.sequences, sequenceUse{p.Level, seq.RelID(), n.Current})
	switch {
	case n.Current:
		return sequenceCall("currval", seq, pos)
	case n.Count == nil:
		return Nextval(seq, pos)
	}
	count := b.Expr(p, n.Count)
	if count.Type().Kind != types.Unknown && !isWhole(count) {
		panic(sqlerr.New(sqlerr.DatatypeMismatch, "the number of values to take from a sequence must be type bigint, not type %s", count.Type()).At(b.Pos(n.Count)))
	}
	return sequenceCall(expr.PhoenixSchema+".next_values", seq, pos, count)
}

// Nextval draws from a sequence.
func Nextval(seq catalog.Relation, pos int) expr.Expr {
	return sequenceCall("nextval", seq, pos)
}

// sequenceCall calls a function of a sequence.
func sequenceCall(name string, seq catalog.Relation, pos int, more ...expr.Expr) expr.Expr {
	arg := &expr.Const{Value: types.NewInt(int64(seq.RelID())), T: types.Of(types.Regclass), Name: FullName(seq), At: pos}
	return fail.Must(expr.ResolveFunc(name, append([]expr.Expr{arg}, more...), pos))
}

// FullName gives the quoted name of a relation with its schema.
func FullName(r catalog.Relation) string {
	return ident.Quote(r.RelSchema()) + "." + ident.Quote(r.RelName())
}
