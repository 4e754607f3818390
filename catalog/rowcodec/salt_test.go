package rowcodec

import (
	"testing"

	"github.com/saltsql/saltsql/catalog/rowcodec/keyform"
	"github.com/saltsql/saltsql/internal/types"
)

// TestTogether holds for which tables equal values of the hashed columns are sure to be of
// one bucket: where they are not, rows must meet before they are grouped.
func TestTogether(t *testing.T) {
	for _, tc := range []struct {
		kind         types.Kind
		own, adopted bool
	}{
		{types.Int8, true, true}, {types.Text, true, true}, {types.UUID, true, true}, {types.Bool, true, true},
		{types.Float8, true, false}, {types.Numeric, true, false}, {types.Timestamp, true, false}, {types.Date, true, false}, {types.Time, true, false},
	} {
		s := KeySchema{Buckets: 4, Columns: []KeyColumn{{Column: Column{SQL: types.Of(tc.kind)}}, {Column: Column{SQL: types.Of(types.Int4)}}}}
		if got := s.Together(); got != tc.own {
			t.Errorf("%v: %t", tc.kind, got)
		}
		s.Adopted = true
		if got := s.Together(); got != tc.adopted {
			t.Errorf("%v that Phoenix wrote: %t", tc.kind, got)
		}
		if s.SaltColumns = []int{1}; !s.Together() || s.Unique() != tc.adopted {
			t.Errorf("%v beside what is hashed", tc.kind)
		}
		if s.Format = (&keyform.Format{}); s.Together() {
			t.Errorf("%v in a format", tc.kind)
		}
	}
}
