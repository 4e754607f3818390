// Package seeds says where random tests begin: at the same seed in every run, so that a gate
// passes or fails by what the code does and not by chance, unless the environment asks for
// another.
//
//	SALTSQL_SEED=7        from seed 7 on
//	SALTSQL_SEED=clock    from one that no run had before: how faults are looked for
//
// Only tests import it.
package seeds
