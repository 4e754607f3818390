// Package planner makes the plan of a parsed statement.
//
//	tree.Statement --bind--> logical.Statement --norm--> --physical--> --lower--> plan.Node --rules.go--> --check.go--> plan.Plan
//	                   |                         |            |                         |
//	            catalog.Snapshot      rules that hold     order and kind          rule_<name>.go, in order:
//	            internal/expr         whatever it costs   of joins, by cost       what each table's key is good for
//
// What is bound is right and slow: a full scan of every bucket, gathered,
// then filtered, grouped, sorted and projected. Each rule makes it faster and may be switched
// off by name; with all of them off the answers are the same.
//
// A session calls Plan, and keeps the plan for as long as the versions of
// Plan.Tables are current. The planner does no I/O, imports neither storage nor exec,
// and keeps nothing between calls.
package planner
