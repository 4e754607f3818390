package marker

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/saltsql/saltsql/internal/dialect/typename"
)

// fromList decodes the comma list, which the grammar folds into joins.
func fromList(j *ast.Join) []From {
	var list []From
	for {
		if j.Right == nil {
			list = append(list, commaLeft(j.Left, &j)...)
		} else if comma(j) {
			list = append(list, fromItem(j.Right))
			list = append(list, commaLeft(j.Left, &j)...)
		} else {
			list = append(list, join(j))
			j = nil
		}
		if j == nil {
			break
		}
	}
	for a, b := 0, len(list)-1; a < b; a, b = a+1, b-1 {
		list[a], list[b] = list[b], list[a]
	}
	if len(list) == 1 {
		if t, ok := list[0].(*TableRef); ok && t.Name == TDual {
			return nil
		}
	}
	return list
}

// commaLeft gives the left member of a comma list if it is the last; otherwise
// it leaves the join to go on with in next.
func commaLeft(n ast.ResultSetNode, next **ast.Join) []From {
	if j, ok := n.(*ast.Join); ok && (comma(j) || j.Right == nil) {
		*next = j
		return nil
	}
	*next = nil
	return []From{fromItem(n)}
}

// comma tells a comma from an explicit join, which always has parentheses.
func comma(j *ast.Join) bool {
	return !j.ExplicitParens && j.Tp == ast.CrossJoin && j.On == nil && j.Using == nil && !j.NaturalJoin && !j.StraightJoin
}

func fromItem(n ast.ResultSetNode) From {
	switch x := n.(type) {
	case *ast.Join:
		if x.Right == nil {
			return fromItem(x.Left)
		}
		return join(x)
	case *ast.TableSource:
		return source(x)
	}
	return nil
}

func join(x *ast.Join) From {
	if t, ok := x.Right.(*ast.TableSource); ok {
		if name, ok := t.Source.(*ast.TableName); ok {
			switch name.Name.O {
			case TJoinAlias:
				j, _ := fromItem(x.Left).(*Join)
				a := decodeAlias(t.AsName.O)
				if j != nil {
					j.Alias = a.alias
				}
				return j
			case TUsingAlias:
				j, _ := fromItem(x.Left).(*Join)
				if j != nil {
					j.UsingAlias = decodeAlias(t.AsName.O).alias.Name
				}
				return j
			}
		}
	}
	j := &Join{Left: fromItem(x.Left), Right: fromItem(x.Right), Natural: x.NaturalJoin}
	switch {
	case x.StraightJoin:
		j.Kind = Full
	case x.Tp == ast.LeftJoin:
		j.Kind = Left
	case x.Tp == ast.RightJoin:
		j.Kind = Right
	case x.On == nil && x.Using == nil && !x.NaturalJoin:
		j.Kind = Cross
	default:
		j.Kind = Inner
	}
	for _, c := range x.Using {
		j.Using = append(j.Using, c.Name.O)
	}
	if x.On != nil {
		if _, ok := marked(x.On.Expr, MNatural); ok {
			j.Natural = true
		} else {
			j.On = x.On.Expr
		}
	}
	return j
}

// payload is a decoded alias identifier.
type payload struct {
	alias Alias
	pos   int
	flags string
	defs  []ColDef
}

func decodeAlias(s string) payload {
	name, rest, _ := strings.Cut(s, sep)
	pos, rest, more := strings.Cut(rest, sep)
	p := payload{alias: Alias{Name: name}, pos: number(pos)}
	if !more {
		return p
	}
	flags, rest, more := strings.Cut(rest, sep)
	p.flags = flags
	switch {
	case !more:
	case p.has(FlagColumns):
		p.alias.Columns = strings.Split(rest, sep)
	case p.has(FlagColDefs):
		p.defs = colDefs(rest)
	}
	return p
}

func (p *payload) has(flag rune) bool { return strings.ContainsRune(p.flags, flag) }

// colDefs decodes column definitions: family, name, type, collation.
func colDefs(s string) []ColDef {
	f := strings.Split(s, sep)
	var defs []ColDef
	for ; len(f) >= 4; f = f[4:] {
		t, _ := typename.Parse(f[2])
		defs = append(defs, ColDef{Family: f[0], Name: f[1], Type: t, Collation: f[3]})
	}
	return defs
}

func source(x *ast.TableSource) From {
	switch s := x.Source.(type) {
	case *ast.TableName:
		return tableRef(s, x.AsName.O)
	case *ast.SelectStmt:
		if len(s.Fields.Fields) == 1 && s.Fields.Fields[0].Expr != nil {
			e := s.Fields.Fields[0].Expr
			if f, ok := marked(e, MFrom); ok {
				return funcRef(f, x.AsName.O)
			}
			if f, ok := marked(e, MSample); ok {
				return sampled(f, s)
			}
		}
		return derived(s, x)
	case *ast.SetOprStmt:
		return derived(s, x)
	}
	return nil
}

func tableRef(n *ast.TableName, as string) *TableRef {
	a := decodeAlias(as)
	return &TableRef{Schema: n.Schema.O, Name: n.Name.O, Alias: a.alias, Only: a.has(FlagOnly), Dynamic: a.defs, Pos: a.pos}
}

func derived(q ast.ResultSetNode, x *ast.TableSource) *Derived {
	a := decodeAlias(x.AsName.O)
	return &Derived{Query: q, Lateral: x.Lateral, Alias: a.alias, Pos: a.pos}
}

func sampled(f *ast.FuncCallExpr, s *ast.SelectStmt) From {
	list := fromList(s.From.TableRefs)
	t, ok := list[0].(*TableRef)
	if !ok {
		return nil
	}
	t.Sample = &Sample{Method: f.FnName.O}
	for _, a := range f.Args {
		if r, ok := marked(a, MRepeatable); ok {
			t.Sample.Repeatable = r.Args[0]
		} else {
			t.Sample.Args = append(t.Sample.Args, a)
		}
	}
	return t
}

func funcRef(f *ast.FuncCallExpr, as string) *FuncRef {
	a := decodeAlias(as)
	r := &FuncRef{Alias: a.alias, Implicit: a.has(FlagImplicit), ColDefs: a.defs, Pos: a.pos}
	r.RowsFrom = strings.ContainsRune(f.FnName.O, FlagRowsFrom)
	r.Ordinality = strings.ContainsRune(f.FnName.O, FlagOrdinality)
	r.Lateral = strings.ContainsRune(f.FnName.O, FlagLateral)
	for _, e := range f.Args {
		it := FuncItem{Expr: e}
		if d, ok := marked(e, MColDefs); ok {
			it = FuncItem{Expr: d.Args[0], ColDefs: colDefs(d.FnName.O)}
		}
		r.Funcs = append(r.Funcs, it)
	}
	return r
}
