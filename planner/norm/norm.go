package norm

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/fail"
	"github.com/saltsql/saltsql/planner/logical"
)

// Options are what norm may know.
type Options struct {
	// Env evaluates constants; nil leaves them to run time.
	Env *expr.Env
	// Disabled says that a rule is switched off; nil is none.
	Disabled func(rule string) bool
	// Fired, if not nil, is called with the name of each rule that changed the tree.
	Fired func(rule string)
	// Made, if not nil, is called with each tree that hoist or a rule has made, for tests.
	Made func(by string, n logical.Node)
}

// rule says a tree more simply; the tree itself where it finds nothing.
type rule struct {
	name  string
	apply func(*normalizer, logical.Node) logical.Node
}

// rules run in this order, again and again until none changes anything.
var rules = []rule{
	{"unnest", unnest},                // first: the others see plain joins
	{"outer_to_inner", outerToInner},  // before push_filters: an inner join lets more through
	{"outer_to_anti", outerToAnti},    // after outer_to_inner, which says right joins as left ones
	{"split_ors", splitOrs},           // before push_filters, which moves what it finds
	{"split_products", splitProducts}, // before push_filters, which puts conditions into its factors
	{"push_filters", pushFilters},
	{"drop_unused", dropUnused},
	{"spread_equals", spreadEquals}, // needs conditions at the relations they are about
}

// RuleNames lists the rules in order, for tests.
func RuleNames() []string {
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = r.name
	}
	return names
}

// maxRounds bounds how often all rules run: each round but the last has changed
// something that only the one before made possible.
const maxRounds = 8

// normalizer is the work on one statement.
type normalizer struct {
	meta  *logical.Meta
	facts *logical.Facts
	env   *expr.Env
	out   logical.ColSet // what the statement gives

	derived map[*expr.Or]bool // by split_ors, for each side
}

// Statement normalizes a statement.
func Statement(s *logical.Statement, o Options) (_ *logical.Statement, err error) {
	defer fail.Caught(&err)
	if !s.Meta.HasQueries() && !relational(s.Root) {
		return s, nil
	}
	z := &normalizer{meta: s.Meta, facts: logical.NewFacts(s.Meta), env: o.Env, out: logical.SetOf(s.Out...)}
	if len(s.Out) == 0 {
		z.out = logical.SetOf(s.Root.Out()...)
	}
	h := &hoister{meta: z.meta, facts: z.facts}
	root := h.node(s.Root)
	if root != s.Root && o.Made != nil {
		o.Made("hoist", root)
	}
	for range maxRounds {
		before := root
		for _, r := range rules {
			if o.Disabled != nil && o.Disabled(r.name) {
				continue
			}
			if o.Env != nil {
				fail.If(o.Env.Canceled())
			}
			out := r.apply(z, root)
			if out != root && o.Fired != nil {
				o.Fired(r.name)
			}
			if out != root && o.Made != nil {
				o.Made(r.name, out)
			}
			root = out
		}
		if root == before {
			break
		}
	}
	out := *s
	out.Root = root
	return &out, nil
}

// relational says that a tree has what the rules are about beside queries in expressions: joins,
// windows, set operations, WITH. Others are left to the rules on plans.
func relational(n logical.Node) bool {
	switch n := n.(type) {
	case *logical.Join, *logical.Window, *logical.SetOp, *logical.With, *logical.RecursiveUnion, *logical.ProjectSet:
		return true
	case *logical.GroupBy:
		if n.Sets != nil {
			return true
		}
	}
	return slices.ContainsFunc(n.Inputs(), relational)
}
