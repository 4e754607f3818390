package expr

// ArgName is an argument of a function by the name that PostgreSQL gives it.
type ArgName struct {
	Name    string
	Default Expr // where it may be left out; nil where it must be given
}

var argNames = map[string][]ArgName{}

// RegisterArgNames names the arguments of a function, for all of its overloads.
func RegisterArgNames(fn string, args ...ArgName) { argNames[fn] = args }

// ArgNames are the names of a function's arguments in order; nil where they are not known.
func ArgNames(fn string) []ArgName { return argNames[fn] }
