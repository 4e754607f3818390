package expr

// MakeLike makes x [NOT] LIKE pattern [ESCAPE escape], or ILIKE; escape may be
// nil.
func MakeLike(x, pattern, escape Expr, fold, not bool, pos int) (Expr, error) {
	if escape != nil {
		p, err := ResolveFunc("like_escape", []Expr{pattern, escape}, pos)
		if err != nil {
			return nil, err
		}
		pattern = p
	}
	op := "~~"
	if not {
		op = "!~~"
	}
	if fold {
		op += "*"
	}
	return ResolveOp(op, x, pattern, pos)
}

// MakeSimilar makes x [NOT] SIMILAR TO pattern [ESCAPE escape]; escape may be
// nil.
func MakeSimilar(x, pattern, escape Expr, not bool, pos int) (Expr, error) {
	args := []Expr{pattern}
	if escape != nil {
		args = append(args, escape)
	}
	p, err := ResolveFunc("similar_to_escape", args, pos)
	if err != nil {
		return nil, err
	}
	op := "~"
	if not {
		op = "!~"
	}
	return ResolveOp(op, x, p, pos)
}
