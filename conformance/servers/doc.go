// Package servers proves what operators count on: programs that are killed at any moment, run
// out of memory, disk or network, are watched, backed up and pushed elsewhere, and tables whose
// salt and indexes change while several servers write them.
//
//	kill*_test.go      kill -9 under load; nothing acknowledged is lost
//	servers_test.go    three processes over one emulator, under DDL and DML
//	resalt*_test.go    SALT_BUCKETS that change under readers and writers
//	index*_test.go     indexes that are made, and kept, while calls fail
//	backup, push       copies of a moment, resumed after a kill
//	schedule*_test.go  random schedules of servers that are stopped, killed and kept back, with all
//	                   that protects rows and without it
//	operator_test.go   ten tasks of an operator, from the outside
//
// What a statement answers is in package conformance.
package servers
