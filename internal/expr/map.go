package expr

// Map replaces parts of an expression, parents first: where fn gives a replacement,
// what lay below is not visited. What does not change is not copied.
func Map(e Expr, fn func(Expr) (Expr, error)) (Expr, error) {
	r, err := fn(e)
	if err != nil || r != nil {
		return r, err
	}
	below := Children(e)
	var changed []Expr
	for i, x := range below {
		y, err := Map(x, fn)
		if err != nil {
			return nil, err
		}
		if y != x && changed == nil {
			changed = append(make([]Expr, 0, len(below)), below[:i]...)
		}
		if changed != nil {
			changed = append(changed, y)
		}
	}
	if changed == nil {
		return e, nil
	}
	return WithChildren(e, changed), nil
}

// MapCols replaces the columns of e, which may be nil.
func MapCols(e Expr, to func(*Col) Expr) Expr {
	if e == nil {
		return nil
	}
	out, err := Map(e, func(x Expr) (Expr, error) {
		if c, ok := x.(*Col); ok {
			return to(c), nil
		}
		return nil, nil
	})
	if err != nil {
		return e // not reached: the function above gives no error
	}
	return out
}

// MoveCols renumbers columns by a table of new numbers.
func MoveCols(e Expr, to map[int]int) Expr {
	return MapCols(e, func(c *Col) Expr {
		moved := *c
		moved.Index = to[c.Index]
		return &moved
	})
}
