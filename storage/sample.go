package storage

// TableSample is the answer of Table.Sample, with what it cost. The work is
// bounded by the pieces asked for, not by the size of the table: at most
// MaxSampleWork(most) calls and rows. A store in memory may count.
type TableSample struct {
	Pieces []SamplePiece
	Calls  int64 // requests to the store (seeks and size estimates on an embedded store)
	Rows   int64 // rows looked at
}

// SamplePiece is one piece of a table.
type SamplePiece struct {
	Span  Span
	Rows  int64 // estimated; -1 where the store knows bytes only
	Bytes int64 // estimated, as the store counts them; -1 where unknown
}

// MaxSampleWork bounds the calls, and the rows looked at, of Sample.
func MaxSampleWork(most int) int64 { return 64*int64(most) + 8*1024 }

// CheckSample checks the arguments of Sample.
func CheckSample(op, table string, span Span, most int) error {
	if most < 1 {
		return Errorf(CodeInvalidArgument, op, table, "a sample of %d pieces is not at least 1", most)
	}
	return CheckSpan(op, table, span)
}
