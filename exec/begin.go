package exec

import "github.com/saltsql/saltsql/exec/scan"

// Beginning is where the scans of a plan begin.
type Beginning = scan.Beginning

// Begin tells what the scans of a plan would ask a store for at first: see scan.Begin.
var Begin = scan.Begin
