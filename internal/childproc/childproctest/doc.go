// Package childproctest asserts that nothing is left of a test's process that dies. Only tests
// import it.
package childproctest
