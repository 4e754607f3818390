package expr

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Stored is a bound expression as the catalog keeps it: a DEFAULT, a CHECK.
// What it means no setting changes, nor the renaming of what it names:
// columns go by ID, functions and operators by name and argument types, types
// by pg_type's name, relations by OID. The empty Stored is no expression.
//
//	CHECK (lower(v) <> 'x')    {"node":"call","fn":"operator <>(text,text)","type":"bool","args":[
//	                             {"node":"call","fn":"lower(text)","type":"text","args":[{"node":"col","col":2,"type":"text"}]},
//	                             {"node":"const","type":"text","value":"x"}]}
type Stored string

// storedNode is one node of a Stored; args are in children's order.
type storedNode struct {
	Node string `json:"node"`
	Type string `json:"type,omitempty"` // of the result, where the node's kind does not say it
	Mod  *int32 `json:"mod,omitempty"`  // Type's modifier, as pg_attribute has it
	Col  int    `json:"col,omitempty"`
	// Value is a constant as the server prints it under its default settings, Raw
	// the same where that is no UTF-8; neither is NULL.
	Value *string `json:"value,omitempty"`
	Raw   []byte  `json:"raw,omitempty"`
	// Fn names an overload, and Fns those of a row comparison: < of every pair,
	// then = of every pair.
	Fn       string       `json:"fn,omitempty"`
	Fns      []string     `json:"fns,omitempty"`
	Op       string       `json:"op,omitempty"`       // of a row comparison; of a call, its syntax; of subscripts, their bounds
	Explicit bool         `json:"explicit,omitempty"` // of a cast; of a case, that it has an operand
	Args     []storedNode `json:"args,omitempty"`
}

// maxStoredDepth bounds the nodes below one another of a Stored: encoding/json reads
// 10,000 levels, two of them a node.
//
//saltsql:limit statements: nested nodes of a stored expression: DEFAULT, CHECK, an index's (54001)
const maxStoredDepth = 4000

// Store gives the form of e that the catalog keeps; id gives the ID of the column
// at an index. Parameters, and nodes of other packages, have no such form. 54001 for
// what nests over maxStoredDepth.
func Store(e Expr, id func(index int) int) (Stored, error) {
	n, err := storeNode(e, id, 1)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(n)
	return Stored(b), err
}

func storeNode(e Expr, id func(int) int, depth int) (storedNode, error) {
	n := storedNode{}
	if depth > maxStoredDepth {
		return n, sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded").
			WithHint("An expression that is kept may nest %d deep.", maxStoredDepth).At(e.Pos())
	}
	typed := func(node string, t types.T) {
		n.Node, n.Type = node, t.Stored()
		if m := t.Typmod(); m >= 0 {
			n.Mod = &m
		}
	}
	switch e := e.(type) {
	case *Col:
		typed("col", e.T)
		n.Col = id(e.Index)
	case *Const:
		typed("const", e.T)
		storeValue(&n, e)
	case *Call:
		typed("call", e.T)
		switch e.Fn.Name {
		case "NULLIF":
			n.Node, n.Fn = "nullif", e.Fn.Equal.Identity()
		case "GREATEST", "LEAST":
			n.Node = strings.ToLower(e.Fn.Name)
		default:
			n.Fn, n.Op = e.Fn.Identity(), e.Syntax
			if overloads()[n.Fn] != e.Fn {
				return n, sqlerr.Unsupported(e.Fn.Name+" of these arguments cannot be kept in a default, a check or an index", "Compute it in the query.").At(e.At)
			}
		}
	case *Cast:
		typed("cast", e.To)
		n.Explicit = e.Explicit
	case *CoerceToDomain:
		typed("domain", e.To)
		n.Explicit = e.Explicit
	case *And:
		n.Node = "and"
	case *Or:
		n.Node = "or"
	case *Not:
		n.Node = "not"
	case *IsNull:
		n.Node = "is null"
	case *IsDistinct:
		n.Node, n.Fn = "is distinct", e.Eq.Identity()
	case *Case:
		typed("case", e.T)
		n.Explicit = e.Simple
		if e.Operand != nil {
			n.Node = "case of"
		}
	case *CaseOperand:
		typed("case operand", e.T)
	case *Coalesce:
		typed("coalesce", e.T)
	case *InList:
		n.Node, n.Fn = "in", e.Eq.Identity()
	case *AnyAll:
		n.Node, n.Fn = "any", e.Op.Identity()
		if e.All {
			n.Node = "all"
		}
	case *RowCmp:
		n.Node, n.Op = "row", e.Op
		for _, f := range append(append([]*Func(nil), e.Lt...), e.Eq...) {
			n.Fns = append(n.Fns, f.Identity())
		}
	case *MakeArray:
		typed("array", e.T)
	case *Subscript:
		typed("subscript", e.T)
	case *Subscripts:
		typed("subscripts", e.T)
		n.Op, n.Explicit = e.forms(), e.Slice
	default:
		return n, fmt.Errorf("expr: %T cannot be stored", e)
	}
	for _, c := range Children(e) {
		arg, err := storeNode(c, id, depth+1)
		if err != nil {
			return n, err
		}
		n.Args = append(n.Args, arg)
	}
	return n, nil
}

func storeValue(n *storedNode, c *Const) {
	if c.Value.Null {
		return
	}
	text := types.Format(keptAs(c.T.Base()), c.Value, &types.IOEnv{Kept: true})
	if utf8.ValidString(text) {
		n.Value = &text
	} else {
		n.Raw = []byte(text)
	}
}

// keptAs is the type whose text a constant is kept as: of an enum, whose values may be renamed,
// that of their codes.
func keptAs(t types.T) types.T {
	switch {
	case t.Kind == types.Enum:
		return tInt8
	case t.Kind == types.Array && t.Elem == types.Enum:
		return types.ArrayOf(tInt8)
	}
	return t
}

// Identity names an overload: `lower(text)`, `operator -(int4)`. No other has the
// same, whatever is added later.
func (f *Func) Identity() string {
	args := make([]string, len(f.ArgTypes))
	for i, a := range f.ArgTypes {
		if args[i] = pseudoNames[a.Kind]; args[i] == "" {
			args[i] = a.TypName()
		}
	}
	name := f.Name
	if f.operator {
		name = "operator " + name
	}
	return name + "(" + strings.Join(args, ",") + ")"
}

var pseudoNames = map[types.Kind]string{
	KindAnyElement: "anyelement", KindAnyArray: "anyarray", KindAnyCompatible: "anycompatible",
	KindAnyCompatibleArray: "anycompatiblearray", KindAny: "any", KindAnyNonArray: "anynonarray", KindAnyEnum: "anyenum",
}

// Relations lists the OIDs of the relations that e names by regclass constants,
// ascending, each once.
func Relations(e Expr) []uint32 {
	var out []uint32
	Walk(e, func(x Expr) bool {
		c, ok := x.(*Const)
		switch {
		case !ok || c.Value.Null:
		case c.T.Kind == types.Regclass:
			out = append(out, uint32(c.Value.Int))
		case c.T.Kind == types.Array && c.T.Elem == types.Regclass:
			for _, d := range c.Value.Array.Elems {
				if !d.Null {
					out = append(out, uint32(d.Int))
				}
			}
		}
		return true
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// NamesDomain says that a node is of a domain.
func (s Stored) NamesDomain() bool { return strings.Contains(string(s), `"type":"@`) }

// NamesType says that a node is of the type of users of an ID, or of an array of it; 0 is any.
// In a constant's text a quote stands behind a backslash, and cannot end the name of a field.
func (s Stored) NamesType(id uint32) bool {
	if id == 0 {
		return strings.Contains(string(s), `"type":"#`) || strings.Contains(string(s), `"type":"@`)
	}
	number := strconv.FormatUint(uint64(id), 10)
	if strings.Contains(string(s), `"type":"@`+number+`=`) || strings.Contains(string(s), `=#`+number+`"`) && strings.Contains(string(s), `"type":"@`) {
		return true
	}
	name := `"type":"#` + number
	return strings.Contains(string(s), name+`"`) || strings.Contains(string(s), name+`[]"`)
}
