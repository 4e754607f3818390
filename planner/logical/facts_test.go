package logical_test

import (
	"strings"
	"testing"

	"github.com/saltsql/saltsql/planner/logical"
	"github.com/saltsql/saltsql/planner/norm"
	"github.com/saltsql/saltsql/planner/plannertest"
)

// What is said of a query's rows whatever is in the tables is true of those that it gives:
// as it was bound, and as it was normalized.
func TestFactsAreTrue(t *testing.T) {
	notNull, keys, one := 0, 0, 0
	all := plannertest.Each(t, 1900, func(q *plannertest.Statement) {
		s := q.Bind()
		if !s.ReadOnly || logical.Volatile(s.Root) {
			return
		}
		normal, err := norm.Statement(q.Bind(), norm.Options{Env: q.Context.Env})
		if err != nil {
			q.Wrong("%v", err)
			return
		}
		rows, err := q.Run(q.Text)
		if err != nil {
			return // the file says which
		}
		for _, s := range []*logical.Statement{s, normal} {
			p := logical.NewFacts(s.Meta).Of(s.Root)
			at := map[logical.ColumnID]int{}
			for i, id := range s.Out {
				at[id] = i
				if !p.NotNull.Has(id) {
					continue
				}
				notNull++
				for _, row := range rows {
					if row[i] == nil {
						q.Wrong("column %d is said to be never NULL", i+1)
						break
					}
				}
			}
			if p.ExactlyOne {
				one++
				if len(rows) != 1 {
					q.Wrong("%d rows, not the one that is said", len(rows))
				}
			}
			for _, k := range p.Keys {
				var cols []int
				for _, id := range k.Cols() {
					if i, ok := at[id]; ok {
						cols = append(cols, i)
					}
				}
				if len(cols) < k.Len() {
					continue // of columns that are not given
				}
				keys++
				seen := map[string]bool{}
				for _, row := range rows {
					var text strings.Builder
					for _, i := range cols {
						if row[i] == nil {
							text.WriteString("\x00;")
						} else {
							text.WriteString("\x01" + *row[i] + ";")
						}
					}
					if seen[text.String()] {
						q.Wrong("two rows agree in the key %v", cols)
						break
					}
					seen[text.String()] = true
				}
			}
		}
	})
	if all && (notNull < 500 || keys < 500 || one < 50) {
		t.Errorf("%d columns never NULL, %d keys, %d times one row: too few to say anything", notNull, keys, one)
	}
}
