// Command ratios reads what the benchmarks of conformance/bench print, from its standard input,
// and prints the goals: saltsql's rate beside PostgreSQL's and the floor's of the same run, and
// why a goal is missed where it is known that it is. `make bench` runs all of it.
package main
