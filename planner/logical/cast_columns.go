package logical

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// CastColumns converts the columns of a branch of a set operation to the types of the whole. Literals of unknown type
// are converted where they stand.
func (m *Meta) CastColumns(n Node, ts []types.T) (Node, error) {
	same := true
	for i, id := range n.Out() {
		same = same && m.Column(id).Type == ts[i]
	}
	if same {
		return n, nil
	}
	switch n := n.(type) {
	case *Project:
		return n, m.castProject(n, ts)
	case *Values:
		for _, row := range n.Rows {
			for i, e := range row {
				var err error
				if row[i], err = expr.ResolveCommon(e, ts[i], e.Pos()); err != nil {
					return nil, err
				}
			}
		}
		m.retype(n.Cols, ts)
		return n, nil
	case *Union:
		for i := range n.Parts {
			var err error
			if n.Parts[i], err = m.CastColumns(n.Parts[i], ts); err != nil {
				return nil, err
			}
		}
		m.retype(n.Cols, ts)
		return n, nil
	}
	return m.castAbove(n, ts)
}

// retype changes the types of columns that nobody has named yet.
func (m *Meta) retype(ids []ColumnID, ts []types.T) {
	for i, id := range ids {
		m.Column(id).Type = ts[i]
	}
}

// castProject converts what a projection computes.
func (m *Meta) castProject(n *Project, ts []types.T) error {
	for i, e := range n.Exprs {
		cast, err := expr.ResolveCommon(e, ts[i], e.Pos())
		if err != nil {
			return err
		}
		if cast == e && m.Column(n.Cols[i]).Type == ts[i] {
			continue
		}
		n.Exprs[i] = cast
		n.Cols[i] = m.Add(Column{Name: m.Column(n.Cols[i]).Name, Type: ts[i]})
	}
	return nil
}

// castAbove converts in a projection of its own; a column of unknown type is text by then.
func (m *Meta) castAbove(n Node, ts []types.T) (Node, error) {
	p := &Project{Input: n}
	for i, id := range n.Out() {
		c := m.Ref(id)
		if c.T.Kind == types.Unknown {
			return nil, sqlerr.New(sqlerr.IndeterminateDatatype, `column "%s" has no type`, c.Name).
				WithHint("Cast the literal to a type.")
		}
		cast, err := expr.ResolveCommon(c, ts[i], 0)
		if err != nil {
			return nil, err
		}
		p.Exprs = append(p.Exprs, cast)
		if cast != expr.Expr(c) {
			id = m.Add(Column{Name: c.Name, Type: ts[i]})
		}
		p.Cols = append(p.Cols, id)
	}
	return p, nil
}
