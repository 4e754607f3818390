package marker

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// orderItem decodes an order marker.
func (s *Source) orderItem(m *ast.FuncCallExpr) tree.OrderItem {
	dir, rest, _ := strings.Cut(m.FnName.O, sep)
	nulls, using, usingSchema := cut3(rest)
	o := tree.OrderItem{Expr: s.expr(m.Args[0]), Desc: dir == "desc", Using: using, UsingSchema: usingSchema}
	switch nulls {
	case "first":
		o.Nulls = tree.NullsFirst
	case "last":
		o.Nulls = tree.NullsLast
	}
	return o
}

// window decodes an over marker.
func (s *Source) window(m *ast.FuncCallExpr) tree.Window {
	w := tree.Window{Pos: s.pos(m)}
	ref, form, _ := strings.Cut(m.FnName.O, sep)
	if form != "" {
		w.Ref = ref
		w.Bare = form == "bare"
	}
	for _, a := range m.Args {
		f, ok := a.(*ast.FuncCallExpr)
		if !ok {
			continue
		}
		switch f.Schema.O {
		case MPartition:
			w.PartitionBy = s.exprs(f.Args)
		case MOrder:
			w.OrderBy = append(w.OrderBy, s.orderItem(f))
		case MFrame:
			w.Frame = s.frame(f)
		}
	}
	return w
}

// frame decodes a frame marker: mode, start, end, exclude, between.
func (s *Source) frame(m *ast.FuncCallExpr) *tree.Frame {
	p := strings.Split(m.FnName.O, sep)
	fr := &tree.Frame{Between: p[4] != ""}
	switch p[0] {
	case "rows":
		fr.Mode = tree.Rows
	case "range":
		fr.Mode = tree.Range
	case "groups":
		fr.Mode = tree.Groups
	}
	args := m.Args
	side := func(digit string) tree.Bound {
		b := tree.Bound{Kind: tree.BoundKind(digit[0] - '0')}
		if b.Kind == tree.OffsetPreceding || b.Kind == tree.OffsetFollowing {
			b.Offset, args = s.expr(args[0]), args[1:]
		}
		return b
	}
	fr.Start = side(p[1])
	fr.End = side(p[2])
	switch p[3] {
	case "current row":
		fr.Exclude = tree.ExcludeCurrentRow
	case "group":
		fr.Exclude = tree.ExcludeGroup
	case "ties":
		fr.Exclude = tree.ExcludeTies
	}
	return fr
}
