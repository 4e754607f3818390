// Package childproc starts processes of tests that end when the test's process does, however it
// ends: by returning, a panic, go test's timeout or kill -9. Only tests import it; package lint
// holds that they start processes by nothing else.
//
//	test's process ──pipe── watchdog, the leader of a process group
//	 └── psql, postgres, saltsql …  in that group
//
// The first Command starts the watchdog: the test's program once more, which does nothing but wait
// for the pipe's end. No other process has the pipe's end that is written to, so the kernel closes
// it with the test's process. The watchdog then ends its group and what that started, within about
// two seconds, and removes the folder that all temporary files of the test's process are in.
//
// A parent-death signal would do less: it comes when a thread ends, is lost where a program
// changes its user, and does not reach the children of the child.
package childproc
