package expr

// Walk calls fn for e and, where fn returns true, for the expressions in it,
// parents first.
func Walk(e Expr, fn func(Expr) bool) {}

// Rewrite replaces every node, children first, with what fn makes of it. Nodes
// that do not change are shared with e.
func Rewrite(e Expr, fn func(Expr) (Expr, error)) (Expr, error) { return e, nil }

// IsConst says that e has no Col and nothing volatile: it has one value per
// execution. Parameters and now() are constant in this sense.
func IsConst(e Expr) bool { return false }

// HasParam says that e depends on a parameter.
func HasParam(e Expr) bool { return false }

// Volatile says that e must be evaluated per row (random(), nextval()).
func Volatile(e Expr) bool { return false }

// Stable says that e, apart from its parameters and columns, depends on the
// session or the time, so that it must not be folded at planning.
func Stable(e Expr) bool { return false }

// Fold replaces what is immutable and constant with its value. An expression
// whose evaluation fails is left as it is: it fails when it is run, if it is.
func Fold(env *Env, e Expr) Expr { return e }

// Cols lists the columns e reads, ascending, each once.
func Cols(e Expr) []int { return nil }

// ToText prints e as Postgres's EXPLAIN does.
func ToText(e Expr) string { return "" }
