package oracle

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"

	pgquery "github.com/wasilibs/go-pgquery"
)

// pgTree gives PostgreSQL's parse tree, normalised.
func pgTree(sql string) (any, error) {
	text, err := pgquery.ParseToJSON(sql)
	if err != nil {
		return nil, err
	}
	var t map[string]any
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return nil, err
	}
	return normalise(t["stmts"]), nil
}

// dropped are the fields that say where something stood, or how it was
// spelled where the meaning is the same.
var dropped = map[string]bool{
	"location": true, "stmt_location": true, "stmt_len": true, "name_location": true,
	"funcformat": true, "list_start": true, "list_end": true, "rexpr_list_start": true, "rexpr_list_end": true,
}

func normalise(v any) any {
	switch x := v.(type) {
	case []any:
		for i := range x {
			x[i] = normalise(x[i])
		}
		return x
	case map[string]any:
		for k := range x {
			if dropped[k] {
				delete(x, k)
				continue
			}
			x[k] = normalise(x[k])
		}
		flatten(x)
		notDistinct(x)
		if x["sortby_dir"] == "SORTBY_ASC" {
			x["sortby_dir"] = "SORTBY_DEFAULT"
		}
		return x
	}
	return v
}

// flatten joins nested indirections: (a[1])[2] is a[1][2].
func flatten(x map[string]any) {
	outer, ok := x["A_Indirection"].(map[string]any)
	if !ok {
		return
	}
	arg, _ := outer["arg"].(map[string]any)
	inner, ok := arg["A_Indirection"].(map[string]any)
	if !ok {
		return
	}
	a, _ := inner["indirection"].([]any)
	b, _ := outer["indirection"].([]any)
	outer["arg"] = inner["arg"]
	outer["indirection"] = append(append([]any{}, a...), b...)
}

// notDistinct makes NOT a IS NOT DISTINCT FROM b the same as a IS DISTINCT
// FROM b, which have one translation.
func notDistinct(x map[string]any) {
	not, _ := x["BoolExpr"].(map[string]any)
	if not["boolop"] != "NOT_EXPR" {
		return
	}
	args, _ := not["args"].([]any)
	arg, _ := args[0].(map[string]any)
	e, _ := arg["A_Expr"].(map[string]any)
	if e["kind"] == "AEXPR_NOT_DISTINCT" {
		e["kind"] = "AEXPR_DISTINCT"
		delete(x, "BoolExpr")
		x["A_Expr"] = e
	}
}

// diff gives the first difference between the original's tree and the printed
// one's, or "". The printed text names every column, the original need not.
func diff(path string, a, b any) string {
	am, ok1 := a.(map[string]any)
	bm, ok2 := b.(map[string]any)
	if ok1 && ok2 {
		keys := map[string]bool{}
		for k := range am {
			keys[k] = true
		}
		for k := range bm {
			keys[k] = true
		}
		var sorted []string
		for k := range keys {
			sorted = append(sorted, k)
		}
		sort.Strings(sorted)
		for _, k := range sorted {
			if k == "name" && strings.HasSuffix(path, ".ResTarget") {
				if _, named := am[k]; !named {
					continue
				}
			}
			av, ok1 := am[k]
			bv, ok2 := bm[k]
			if !ok1 || !ok2 {
				return fmt.Sprintf("%s.%s: %v != %v", path, k, short(av), short(bv))
			}
			if d := diff(path+"."+k, av, bv); d != "" {
				return d
			}
		}
		return ""
	}
	al, ok1 := a.([]any)
	bl, ok2 := b.([]any)
	if ok1 && ok2 {
		if len(al) != len(bl) {
			return fmt.Sprintf("%s: %d != %d elements", path, len(al), len(bl))
		}
		for i := range al {
			if d := diff(fmt.Sprintf("%s[%d]", path, i), al[i], bl[i]); d != "" {
				return d
			}
		}
		return ""
	}
	if !reflect.DeepEqual(a, b) {
		return fmt.Sprintf("%s: %v != %v", path, short(a), short(b))
	}
	return ""
}

func short(v any) string {
	b, _ := json.Marshal(v)
	if len(b) > 200 {
		b = append(b[:200], "…"...)
	}
	return string(b)
}
