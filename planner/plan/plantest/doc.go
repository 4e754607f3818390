// Package plantest gives tests a node of each type of planner/plan, for those that hold that
// what switches over nodes leaves none out. Only tests import it.
//
//	planner/plan/*.go -> Nodes -> explain.Describe, the planner's rewrite walk, exec.Build
package plantest
