// Package seeds says where random tests begin, and how much of its work a test does in this run.
//
// Random tests begin at the same seed in every run, so that a gate passes or fails by what the
// code does and not by chance, unless the environment asks for another:
//
//	SALTSQL_SEED=7        from seed 7 on
//	SALTSQL_SEED=clock    from one that no run had before: how faults are looked for
//
// A plain "go test ./..." is for whoever waits for it. It takes a part of what would take minutes:
// another part each day, so that nothing is left out for ever, or that of SALTSQL_SEED. With
// SALTSQL_FULL=1, as in the gate, tests do all that is promised.
//
//	Amount    a number: some of it, or all
//	Until     a campaign at random: for some time, or for more
//	InPart    cases of a list: one of some, or one of fewer
//	Sometimes a whole test: on one day of n, or always
//
// Only tests import it.
package seeds
