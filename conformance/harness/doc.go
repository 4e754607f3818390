// Package harness is what the suites share: stores of each kind, servers in this process and in
// processes of their own, an emulator of Bigtable in a process, and clients of them. Only tests
// import it.
//
//	Stores, Salts    what answers are compared over
//	Serve, Connect   a server of a database that the test has opened, and a client
//	Start, Command   the program saltsql, built once, in a process of its own
//	StartEmulator    an emulator that a test can kill
package harness
