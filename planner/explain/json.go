package explain

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/planner/plan"
)

// explainJSON prints the tree as Postgres's FORMAT JSON does: an array of one
// object with "Plan", whose nodes have "Node Type" and, below them, "Plans".
// Attributes keep the order of the text form and are named in title case; the note of "Buckets"
// is "Buckets Note". What Postgres has too has its name, so that viewers
// find it: "Relation Name", "Plan Rows", "Actual Rows", "Actual Loops", "Actual Startup
// Time", "Actual Total Time", and with VERBOSE "Startup Cost", "Total Cost" and "Output".
func explainJSON(root *explained, o *Options, a *plan.Actuals) string {
	top := topObject(root, o, a)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode([]object{top}); err != nil {
		return "[]" // not reached: the values are strings, numbers, lists and objects
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func topObject(root *explained, o *Options, a *plan.Actuals) object {
	top := object{{"Plan", nodeObject(root, "")}}
	if o.Summary && a != nil {
		top = append(top, member{"Planning Time", jsonValue(o.duration(a.Planning))})
		if o.Analyze {
			top = append(top, member{"Execution Time", jsonValue(o.duration(a.Execution))})
		}
	}
	return top
}

func nodeObject(e *explained, relationship string) object {
	obj := object{{"Node Type", e.Name}}
	if relationship != "" {
		obj = append(obj, member{"Parent Relationship", relationship})
	}
	if e.Object != "" {
		alias := e.Alias
		if alias == "" {
			alias = e.Object
		}
		obj = append(obj, member{"Relation Name", e.Object}, member{"Alias", alias})
	}
	if c := e.cost; c != nil {
		obj = append(obj, member{"Startup Cost", json.Number(number(c.Start))}, member{"Total Cost", json.Number(number(c.Total))})
	}
	if e.rows >= 0 {
		obj = append(obj, member{"Plan Rows", json.Number(strconv.FormatInt(e.rows, 10))})
	}
	obj = append(obj, attrMembers(e.Attrs)...)
	if len(e.output) > 0 {
		obj = append(obj, member{"Output", e.output})
	}
	obj = append(obj, actualMembers(e)...)
	if len(e.buckets) > 0 {
		list := make([]object, len(e.buckets))
		for i, b := range e.buckets {
			list[i] = append(object{{"Bucket", json.Number(strconv.Itoa(b.bucket))}}, attrMembers(b.attrs)...)
		}
		obj = append(obj, member{"Per Bucket", list})
	}
	if len(e.inputs) > 0 {
		plans := make([]object, len(e.inputs))
		for i, in := range e.inputs {
			plans[i] = nodeObject(in, relationships[min(i, 1)])
		}
		obj = append(obj, member{"Plans", plans})
	}
	return obj
}

// relationships are those of the first input and of the others.
var relationships = [2]string{"Outer", "Inner"}

// postgresNames are the counters that Postgres has too.
var postgresNames = map[string]string{
	"rows": "Actual Rows", "first row ms": "Actual Startup Time", "time ms": "Actual Total Time",
}

func actualMembers(e *explained) object {
	if e.never {
		return object{{"Actual Rows", json.Number("0")}, {"Actual Loops", json.Number("0")}}
	}
	var obj object
	for _, a := range e.actual {
		key, ok := postgresNames[a.Key]
		if !ok {
			key = "Actual " + titleCase(a.Key)
		}
		obj = append(obj, member{key, jsonValue(a.Value)})
		if a.Key == "rows" {
			obj = append(obj, member{"Actual Loops", json.Number("1")})
		}
	}
	return obj
}

func attrMembers(as []Attr) object {
	var obj object
	for _, a := range as {
		key := titleCase(a.Key)
		if a.Key == "index" {
			key = "Index Name" // Postgres's
		}
		obj = append(obj, member{key, jsonValue(a.Value)})
		if a.Note != "" {
			obj = append(obj, member{key + " Note", a.Note})
		}
	}
	return obj
}

// jsonValue keeps whole and decimal numbers as numbers.
func jsonValue(s string) any {
	if s == "" || s[0] == '+' || strings.Trim(s, "-.0123456789") != "" {
		return s
	}
	if n := json.Number(s); json.Valid([]byte(s)) {
		return n
	}
	return s
}

func titleCase(s string) string {
	words := strings.Fields(s)
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, " ")
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	key   string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := enc.Encode(m.key); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := enc.Encode(m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
