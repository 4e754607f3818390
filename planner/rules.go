package planner

import (
	"slices"

	"github.com/saltsql/saltsql/planner/norm"
	"github.com/saltsql/saltsql/planner/physical"
	"github.com/saltsql/saltsql/planner/plan"
)

// rule improves a plan. apply looks at one node, whose inputs have been seen
// already, and gives what takes its place, or nil where it does not match.
// It does not change the node: plans under construction share parts.
type rule struct {
	name  string
	apply func(*Context, plan.Node) plan.Node
}

// rules run in this order, each over the whole tree, once.
var rules = []rule{
	{"fold_constants", foldConstants},       // first: the others look for literals
	{"push_filter", pushFilter},             // conditions reach the scan they are about
	{"merge_projections", mergeProjections}, // a subquery in FROM costs nothing more than its expressions
	{"reduce_probe", reduceProbe},           // needs push_filter; before constrain_scan takes the conditions apart
	{"constrain_scan", constrainScan},       // needs push_filter; the others read Scan.Key
	{"choose_access", chooseAccess},         // needs constrain_scan: names what the key condition gives
	{"remove_empty", removeEmpty},           // after constrain_scan, which finds contradictions
	{"min_max_first_row", minMaxFirstRow},   // needs Scan.Key; before partial_aggregate, which it saves
	{"use_key_order", useKeyOrder},          // needs Scan.Key; before split_salted_scan: decides merge or gather
	{"top_n", topN},                         // after use_key_order: only sorts that are left
	{"split_salted_scan", splitSaltedScan},  // needs choose_access and use_key_order
	{"push_limit", pushLimit},               // needs split_salted_scan: a Limit looks through merge and gather
	{"seek_distinct", seekDistinct},         // needs the order and the limits; before partial_aggregate takes the Aggregate apart
	{"seek_gaps", seekGaps},                 // needs constrain_scan's filter; after seek_distinct, which seeks further
	{"partial_aggregate", partialAggregate}, // needs use_key_order and split_salted_scan: only what stays a gather
	{"prune_columns", pruneColumns},         // after all that may still read a column
	{"remove_projection", removeProjection}, // after prune_columns, which lets scans give what is asked for
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
	for _, r := range rules {
		if ctx.Options.disabled(r.name) {
			continue
		}
		fired := false
		apply := func(n plan.Node) plan.Node {
			if m := r.apply(ctx, n); m != nil {
				fired = true
				return m
			}
			return n
		}
		n = rewrite(n, apply)
		if fired && ctx.Options.Fired != nil {
			ctx.Options.Fired(r.name)
		}
	}
	return n, nil
}
