package marker

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// fromList decodes the comma list, which the grammar folds into joins.
func (s *Source) fromList(j *ast.Join) []tree.From {
	if j.Right == nil {
		if t, ok := j.Left.(*ast.TableSource); ok { // the common one
			return notDual([]tree.From{s.source(t)})
		}
	}
	var list []tree.From
	for {
		if j.Right == nil {
			list = append(list, s.commaLeft(j.Left, &j)...)
		} else if comma(j) {
			list = append(list, s.fromItem(j.Right))
			list = append(list, s.commaLeft(j.Left, &j)...)
		} else {
			list = append(list, s.join(j))
			j = nil
		}
		if j == nil {
			break
		}
	}
	for a, b := 0, len(list)-1; a < b; a, b = a+1, b-1 {
		list[a], list[b] = list[b], list[a]
	}
	return notDual(list)
}

// notDual gives nil for the FROM of a SELECT that has none.
func notDual(list []tree.From) []tree.From {
	if len(list) == 1 {
		if t, ok := list[0].(*tree.TableRef); ok && t.Name == TDual {
			return nil
		}
	}
	return list
}

// commaLeft gives the left member of a comma list if it is the last; otherwise
// it leaves the join to go on with in next.
func (s *Source) commaLeft(n ast.ResultSetNode, next **ast.Join) []tree.From {
	if j, ok := n.(*ast.Join); ok && (comma(j) || j.Right == nil) {
		*next = j
		return nil
	}
	*next = nil
	return []tree.From{s.fromItem(n)}
}

// comma tells a comma from an explicit join, which always has parentheses.
func comma(j *ast.Join) bool {
	return !j.ExplicitParens && j.Tp == ast.CrossJoin && j.On == nil && j.Using == nil && !j.NaturalJoin && !j.StraightJoin
}

func (s *Source) fromItem(n ast.ResultSetNode) tree.From {
	switch x := n.(type) {
	case *ast.Join:
		if x.Right == nil {
			return s.fromItem(x.Left)
		}
		return s.join(x)
	case *ast.TableSource:
		return s.source(x)
	}
	return nil
}

func (s *Source) join(x *ast.Join) tree.From {
	if t, ok := x.Right.(*ast.TableSource); ok {
		if name, ok := t.Source.(*ast.TableName); ok {
			switch name.Name.O {
			case TJoinAlias:
				j, _ := s.fromItem(x.Left).(*tree.Join)
				a := decodeAlias(t.AsName.O)
				if j != nil {
					j.Alias = a.alias
				}
				return j
			case TUsingAlias:
				j, _ := s.fromItem(x.Left).(*tree.Join)
				if j != nil {
					j.UsingAlias = decodeAlias(t.AsName.O).alias.Name
				}
				return j
			}
		}
	}
	j := &tree.Join{Left: s.fromItem(x.Left), Right: s.fromItem(x.Right), Natural: x.NaturalJoin}
	switch {
	case x.StraightJoin:
		j.Kind = tree.Full
	case x.Tp == ast.LeftJoin:
		j.Kind = tree.Left
	case x.Tp == ast.RightJoin:
		j.Kind = tree.Right
	case x.On == nil && x.Using == nil && !x.NaturalJoin:
		j.Kind = tree.Cross
	default:
		j.Kind = tree.Inner
	}
	for _, c := range x.Using {
		j.Using = append(j.Using, c.Name.O)
	}
	if x.On != nil {
		if _, ok := marked(x.On.Expr, MNatural); ok {
			j.Natural = true
		} else {
			j.On = s.expr(x.On.Expr)
		}
	}
	return j
}

// payload is a decoded alias identifier.
type payload struct {
	alias tree.Alias
	pos   tree.Pos
	flags string
	defs  []tree.ColDef
}

func decodeAlias(text string) payload {
	name, rest, _ := strings.Cut(text, sep)
	pos, rest, more := strings.Cut(rest, sep)
	p := payload{alias: tree.Alias{Name: name}, pos: position(pos)}
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

// colDefs decodes column definitions: family, name, type, collation, flags.
func colDefs(text string) []tree.ColDef {
	f := strings.Split(text, sep)
	var defs []tree.ColDef
	for ; len(f) >= 5; f = f[5:] {
		d := tree.ColDef{Family: f[0], Name: f[1], Type: typeOf(f[2]), Collation: f[3]}
		d.FamilyQuoted, d.Quoted, d.Type.Bare = columnFlags(f[4])
		defs = append(defs, d)
	}
	return defs
}

func columnFlags(flags string) (familyQuoted, quoted, bare bool) {
	return strings.ContainsRune(flags, FlagQuotedFamily), strings.ContainsRune(flags, FlagQuoted), strings.ContainsRune(flags, FlagBare)
}

func (s *Source) source(x *ast.TableSource) tree.From {
	switch q := x.Source.(type) {
	case *ast.TableName:
		return tableRef(q, x.AsName.O)
	case *ast.SelectStmt:
		if len(q.Fields.Fields) == 1 && q.Fields.Fields[0].Expr != nil {
			e := q.Fields.Fields[0].Expr
			if f, ok := marked(e, MFrom); ok {
				return s.funcRef(f, x.AsName.O)
			}
			if f, ok := marked(e, MSample); ok {
				return s.sampled(f, q)
			}
		}
		return s.derived(q, x)
	case *ast.SetOprStmt:
		return s.derived(q, x)
	}
	return nil
}

func tableRef(n *ast.TableName, as string) *tree.TableRef {
	a := decodeAlias(as)
	return &tree.TableRef{Pos: a.pos, Schema: n.Schema.O, Name: n.Name.O, Alias: a.alias, Only: a.has(FlagOnly), Dynamic: a.defs}
}

func (s *Source) derived(q ast.ResultSetNode, x *ast.TableSource) tree.From {
	a := decodeAlias(x.AsName.O)
	return &tree.Derived{Pos: a.pos, Query: s.query(q), Lateral: x.Lateral, Alias: a.alias}
}

func (s *Source) sampled(f *ast.FuncCallExpr, q *ast.SelectStmt) tree.From {
	list := s.fromList(q.From.TableRefs)
	t, ok := list[0].(*tree.TableRef)
	if !ok {
		return nil
	}
	t.Sample = &tree.Sample{Method: f.FnName.O}
	for _, a := range f.Args {
		if r, ok := marked(a, MRepeatable); ok {
			t.Sample.Repeatable = s.expr(r.Args[0])
		} else {
			t.Sample.Args = append(t.Sample.Args, s.expr(a))
		}
	}
	return t
}

func (s *Source) funcRef(f *ast.FuncCallExpr, as string) tree.From {
	a := decodeAlias(as)
	r := &tree.FuncRef{Pos: a.pos, Alias: a.alias, Implicit: a.has(FlagImplicit), ColDefs: a.defs}
	r.RowsFrom = strings.ContainsRune(f.FnName.O, FlagRowsFrom)
	r.Ordinality = strings.ContainsRune(f.FnName.O, FlagOrdinality)
	r.Lateral = strings.ContainsRune(f.FnName.O, FlagLateral)
	for _, e := range f.Args {
		it := tree.FuncItem{}
		if d, ok := marked(e, MColDefs); ok {
			e, it.ColDefs = d.Args[0], colDefs(d.FnName.O)
		}
		it.Expr = s.expr(e)
		r.Funcs = append(r.Funcs, it)
	}
	return r
}
