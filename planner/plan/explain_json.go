package plan

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// explainJSON prints the tree as Postgres's FORMAT JSON does: an array of one
// object with "Plan", whose nodes have "Node Type" and, below them, "Plans".
// Attributes keep the order of the text form and are named in title case; one
// without a key is "Detail".
func explainJSON(root *explained, o *ExplainOptions, a *Actuals) string {
	top := object{{"Plan", nodeObject(root)}}
	if o.Summary && a != nil {
		top = append(top, member{"Planning Time", jsonValue(o.duration(a.Planning))})
		if o.Analyze {
			top = append(top, member{"Execution Time", jsonValue(o.duration(a.Execution))})
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode([]object{top}); err != nil {
		return "[]" // not reached: the values are strings, numbers, lists and objects
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func nodeObject(e *explained) object {
	obj := object{{"Node Type", e.Name}}
	if e.Object != "" {
		obj = append(obj, member{"Relation Name", e.Object})
	}
	obj = append(obj, attrMembers("", e.Attrs)...)
	obj = append(obj, attrMembers("Actual ", e.actual)...)
	if len(e.buckets) > 0 {
		list := make([]object, len(e.buckets))
		for i, b := range e.buckets {
			list[i] = append(object{{"Bucket", json.Number(strconv.Itoa(b.bucket))}}, attrMembers("", b.attrs)...)
		}
		obj = append(obj, member{"Per Bucket", list})
	}
	if len(e.inputs) > 0 {
		plans := make([]object, len(e.inputs))
		for i, in := range e.inputs {
			plans[i] = nodeObject(in)
		}
		obj = append(obj, member{"Plans", plans})
	}
	return obj
}

func attrMembers(prefix string, as []Attr) object {
	var obj object
	for _, a := range as {
		key := "Detail"
		if a.Key != "" {
			key = prefix + titleCase(a.Key)
		}
		obj = append(obj, member{key, jsonValue(a.Value)})
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
