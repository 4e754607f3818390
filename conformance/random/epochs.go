package random

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Epochs draws statements that change the table's salt for rows from some value of a key column on: none where
// no column of the key grows. They are for the table while it is empty.
func (t *Table) Epochs(r *rand.Rand) (list []string) {
	var grows []Column
	for _, k := range t.Key {
		switch k.typ.class {
		case classInt, classDate, classTimestamp:
			grows = append(grows, k)
		}
	}
	if len(grows) == 0 {
		return nil
	}
	by := grows[r.IntN(len(grows))]
	finite := slices.DeleteFunc(slices.Clone(by.typ.values), func(v string) bool { return strings.Contains(v, "infinity") })
	from := r.Perm(len(finite))[:min(1+r.IntN(3), len(finite))]
	slices.Sort(from) // values ascend
	for _, i := range from {
		s := fmt.Sprintf("ALTER TABLE %s SET SALT_BUCKETS = %d", t.Name, []int{0, 1, 2, 4, 16, 31}[r.IntN(6)])
		if !strings.HasSuffix(s, " 0") && r.IntN(3) == 0 {
			s += fmt.Sprintf(", SALT_COLUMNS = (%s)", t.Key[r.IntN(len(t.Key))].Name)
		}
		list = append(list, fmt.Sprintf("%s FORWARD FROM (%s) ON (%s)", s, by.typ.lit(finite[i]), by.Name))
	}
	return list
}
