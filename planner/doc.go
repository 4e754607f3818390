// Package planner turns a translated statement into a plan: it binds names and
// types against a catalog snapshot, then improves the plan by rules.
//
//	tree.Statement -- bind_*.go --> plan.Node -- rules.go --> plan.Node -- check.go --> plan.Plan
//	                        |                         |
//	                 catalog.Snapshot          rule_<name>.go, in order
//	                 internal/expr (types)
//
// The binder's plan is right and slow: a full scan of every bucket, gathered,
// then filtered, grouped, sorted and projected. Each rule makes it faster and may be switched
// off by name; with all of them off the answers are the same.
//
// A session calls Plan, and keeps the plan for as long as the versions of
// Plan.Tables are current. The planner does no I/O, imports neither storage nor exec,
// and keeps nothing between calls.
package planner
