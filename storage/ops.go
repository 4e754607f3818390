package storage

// The values of Error.Op.
const (
	OpOpen           = "open"
	OpScan           = "scan"
	OpMultiGet       = "multi-get"
	OpMutate         = "mutate"
	OpCheckAndMutate = "check-and-mutate"
	OpClock          = "clock"
	OpIncrement      = "increment"
	OpTablets        = "tablets"
	OpSample         = "sample"
	OpDeleteSpan     = "delete span"
	OpSnapshot       = "snapshot"
	OpBatch          = "batch"
	OpCommit         = "commit"
	OpLoad           = "load"
	OpCreateTable    = "create table"
	OpAlterTable     = "alter table"
	OpDropTable      = "drop table"
	OpTruncate       = "truncate"
	OpTables         = "tables"
	OpCompact        = "compact"
	OpBackup         = "backup"
	OpRestore        = "restore"
	OpClose          = "close"
)
