// Package seeds says where random tests begin, and how much of its work a test does in this run.
//
// Random tests begin at the same seed in every run, so that a gate passes or fails by what the
// code does and not by chance, unless the environment asks for another:
//
//	SALTSQL_SEED=7        from seed 7 on
//	SALTSQL_SEED=clock    from one that no run had before: how faults are looked for
//
// A plain "go test ./..." is for whoever waits for it. A test that would take longer than a second or
// two has a share of half a second and takes a part: another part each day, so that nothing is left out
// for ever, or that of SALTSQL_SEED. With SALTSQL_FULL=1, as in the gate, tests do all that is promised.
//
//	Part      cases of a list: those that fit into the share, or all
//	Until     a campaign at random: for the share, or for more
//	Daily     the seed of a sample that is another each day, in the gate too
//	Turn      one of a list for each of many cases, where all of them are taken
//	HasTurn   whether one of many cases is done: on one day of some, or always
//	Amount    a number: some of it, or all
//	Sometimes a whole test that has no parts: on one day of eight, or always
//
// The share is time and not a count: a slow machine, or one that is busy, takes a smaller part and
// not longer.
//
// Only tests import it.
package seeds
