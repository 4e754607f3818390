package bind_test

import (
	"reflect"
	"testing"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/norm"
	"github.com/saltsql/saltsql/planner/plannertest"
)

// Binding leaves the syntax as it was, for other goroutines bind the same; it gives the same
// each time; every column that the statement gives has a type and a name, and none is named
// that nothing gives.
func TestBindingChangesNothing(t *testing.T) {
	plannertest.Each(t, 1900, func(q *plannertest.Statement) {
		s := q.Bind()
		again := q.Bind()
		if _, err := norm.Statement(again, norm.Options{Env: q.Context.Env}); err != nil {
			q.Wrong("%v", err)
		}
		anew, err := dialect.Parse(q.Text)
		if err != nil || !reflect.DeepEqual(anew[0], q.Tree) {
			q.Wrong("binding has changed the tree (%v)", err)
		}
		if !reflect.DeepEqual(s.Out, again.Out) || !reflect.DeepEqual(s.Names, again.Names) || !reflect.DeepEqual(s.Rights, again.Rights) ||
			s.ReadOnly != again.ReadOnly || s.Tag != again.Tag || s.Meta.Len() > again.Meta.Len() {
			q.Wrong("it binds in two ways")
		}
		p := logical.NewFacts(s.Meta).Of(s.Root)
		if missing := logical.SetOf(s.Out...).Minus(p.Out); !p.Free.Empty() || !missing.Empty() || len(s.Names) != len(s.Out) {
			q.Wrong("columns %v and %v are not given; names %q", p.Free.Cols(), missing.Cols(), s.Names)
		}
		if !s.ReadOnly && len(s.Rights) == 0 {
			q.Wrong("it writes, and needs no right")
		}
	})
}
