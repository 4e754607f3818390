package planner

import (
	"slices"

	"github.com/saltsql/saltsql/planner/norm"
	"github.com/saltsql/saltsql/planner/physical"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// rule improves a plan. apply looks at one node, whose inputs have been seen
// already, and gives what takes its place, or nil where it does not match.
// It does not change the node: plans under construction share parts.
type rule struct {
	name  string
	apply func(*Context, plan.Node) plan.Node
	// whole, in apply's place, looks at a whole plan, and knows the rules that come after.
	whole func(ctx *Context, root plan.Node, rest []rule) plan.Node
}

// rules run in this order, each over the whole tree, once.
var rules = []rule{
	{name: "fold_constants", whole: foldConstants},       // first: the others look for literals
	{name: "push_filter", apply: pushFilter},             // conditions reach the scan they are about
	{name: "merge_projections", apply: mergeProjections}, // a subquery in FROM costs nothing more than its expressions
	{name: "reduce_probe", apply: reduceProbe},           // needs push_filter; before constrain_scan takes the conditions apart
	{name: "choose_index", whole: chooseIndex},           // needs push_filter; tries all that come after
	{name: "constrain_scan", apply: constrainScan},       // needs push_filter; the others read Scan.Key
	{name: "choose_access", apply: chooseAccess},         // needs constrain_scan: names what the key condition gives
	{name: "remove_empty", apply: removeEmpty},           // after constrain_scan, which finds contradictions
	{name: "min_max_first_row", apply: minMaxFirstRow},   // needs Scan.Key; before partial_aggregate, which it saves
	{name: "use_key_order", apply: useKeyOrder},          // needs Scan.Key; before split_salted_scan: decides merge or gather
	{name: "top_n", apply: topN},                         // after use_key_order: only sorts that are left
	{name: "split_salted_scan", apply: splitSaltedScan},  // needs choose_access and use_key_order
	{name: "push_limit", apply: pushLimit},               // needs split_salted_scan: a Limit looks through merge and gather
	{name: "seek_distinct", apply: seekDistinct},         // needs the order and the limits; before partial_aggregate takes the Aggregate apart
	{name: "seek_gaps", apply: seekGaps},                 // needs constrain_scan's filter; after seek_distinct, which seeks further
	{name: "distinct_by_group", apply: distinctByGroup},  // after seek_distinct, which reads less; before those that split the groups it makes
	{name: "run_by_bucket", apply: runByBucket},          // after all that look for a gathered scan; before partial_aggregate, which it saves or serves
	{name: "merge_in_bucket", apply: mergeInBucket},      // needs run_by_bucket: what it makes of joins
	{name: "partial_aggregate", apply: partialAggregate}, // needs use_key_order and split_salted_scan: only what stays a gather
	{name: "prune_columns", apply: pruneColumns},         // after all that may still read a column
	{name: "remove_projection", apply: removeProjection}, // after prune_columns, which lets scans give what is asked for
	{name: "note_parts", apply: noteParts},               // after prune_columns, which moves columns
	{name: "keep_invariant", whole: keepInvariant},       // last: what a rule brings below a join is seen
}

// RuleNames lists the rules in order, for tests: those on logical trees first.
func RuleNames() []string {
	names := slices.Concat(norm.RuleNames(), physical.RuleNames())
	for _, r := range rules {
		names = append(names, r.name)
	}
	return names
}

func (o *Options) disabled(name string) bool {
	return o.DisableAllRules || slices.Contains(o.DisableRules, name)
}

// optimize applies the rules.
func optimize(ctx *Context, n plan.Node) (plan.Node, error) {
	n = applyRules(ctx, n, rules)
	return n, ctx.canceled()
}

// applyRules applies those of a list; where the statement is canceled, only some of them.
func applyRules(ctx *Context, n plan.Node, list []rule) plan.Node {
	for i, r := range list {
		if ctx.Options.disabled(r.name) {
			continue
		}
		if ctx.canceled() != nil {
			return n
		}
		before := n
		if r.whole == nil {
			n = rewritten(ctx, n, r.apply)
		} else if m := r.whole(ctx, n, list[i+1:]); m != nil {
			n = m
		}
		if n != before && ctx.Options.Fired != nil {
			ctx.Options.Fired(r.name)
		}
		if n != before && ctx.Options.Made != nil {
			ctx.Options.Made(r.name, n)
		}
	}
	return n
}

// rewritten applies a rule to each node of a plan, inputs first.
func rewritten(ctx *Context, root plan.Node, apply func(*Context, plan.Node) plan.Node) plan.Node {
	return walk.Rewrite(root, func(n plan.Node) plan.Node {
		if m := apply(ctx, n); m != nil {
			return m
		}
		return n
	})
}
