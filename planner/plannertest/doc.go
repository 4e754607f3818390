// Package plannertest gives tests of the planner's rooms the statements of the conformance
// files, each at the point of its file where its tables are as it finds them. Only tests
// import it.
//
//	conformance/testdata/*.slt -> session over memory -> Each's function, statement by statement
package plannertest
