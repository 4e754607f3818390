package explain

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/planner/plan"
)

// explainYAML prints what explainJSON does as PostgreSQL's FORMAT YAML: texts in double quotes,
// numbers bare.
func explainYAML(root *explained, o *Options, a *plan.Actuals) string {
	var w yamlWriter
	w.items([]object{topObject(root, o, a)}, "")
	return strings.TrimSuffix(w.String(), "\n")
}

type yamlWriter struct{ strings.Builder }

func (w *yamlWriter) items(list []object, indent string) {
	for _, obj := range list {
		w.members(obj, indent+"- ", indent+"  ")
	}
}

func (w *yamlWriter) members(obj object, first, indent string) {
	for i, m := range obj {
		if i > 0 {
			first = indent
		}
		w.WriteString(first + m.key + ":")
		switch v := m.value.(type) {
		case object:
			w.WriteByte('\n')
			w.members(v, indent+"  ", indent+"  ")
		case []object:
			w.WriteByte('\n')
			w.items(v, indent+"  ")
		case []string:
			w.WriteByte('\n')
			for _, s := range v {
				w.WriteString(indent + "  - " + strconv.Quote(s) + "\n")
			}
		case json.Number:
			w.WriteString(" " + v.String() + "\n")
		case string:
			w.WriteString(" " + strconv.Quote(v) + "\n")
		}
	}
}
