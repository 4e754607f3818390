package metrics

import (
	"cmp"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/statements"
)

// namedTables is how many tables are shown by name.
const namedTables = 50

// Metric says what one metric is: Describe and the documentation list them.
type Metric struct {
	Name, Help string
	Labels     []string
	Kind       prometheus.ValueType
	desc       *prometheus.Desc
}

const (
	counter = prometheus.CounterValue
	gauge   = prometheus.GaugeValue
)

var (
	statementsTotal  = define("statements_total", "Statements that ended, by kind and by the class of their SQLSTATE; 00 is success.", counter, "kind", "sqlstate_class")
	statementSeconds = define("statement_seconds", "Time that statements ran, the sending of their rows included; a histogram.", 0, "kind")
	rowsTotal        = define("rows_total", "Rows read from the store, returned to clients, and written.", counter, "op")
	statementCalls   = define("statement_storage_calls_total", "Storage calls of statements, as EXPLAIN ANALYZE counts them: requests to Bigtable, seeks on an embedded store.", counter)
	bucketsRead      = define("buckets_read_total", "Salt buckets that scans read.", counter)
	spilled          = define("spill_bytes_total", "Bytes that sorts and hashes wrote to temporary files.", counter)
	tableOps         = define("table_ops_total", "Statements that read or wrote a table: the 50 busiest tables.", counter, "table", "op")
	allTableOps      = define("all_tables_ops_total", "The same over all tables.", counter, "op")
	sessionsNow      = define("sessions", "Sessions that are open, by state.", gauge, "state")
	planCache        = define("plan_cache_total", "Statements that found their plan in the cache, or did not.", counter, "result")
	plansKept        = define("plan_cache_bytes", "Bytes that cached texts and plans take, by estimate.", gauge)
	memoryBytes      = define("memory_bytes", "Bytes that statements and sessions hold.", gauge)
	memoryLimit      = define("memory_limit_bytes", "Bytes that statements and sessions may hold together; 0 is no limit.", gauge)
	lockWaits        = define("lock_waits", "Statements that wait now for a row that another transaction has written.", gauge)
	timestampWaits   = define("timestamp_waits_total", "Writes that waited because their rows are written more often than there are timestamps for.", counter)
	transactions     = define("distributed_transactions_total", "What transactions over tables with TRANSACTIONAL on Bigtable have met: commits, conflicts, and locks that reads met, pushed, rolled forward or back, images of rows read, calls for timestamps.", counter, "event")
	shapes           = define("statement_shapes", "Shapes of statements in pg_stat_statements.", gauge)
	evictions        = define("statement_evictions_total", "Times that shapes of statements had to make room for others.", counter)
	slowDropped      = define("slow_log_dropped_total", "Lines of slow statements that were left out, over 100 in a second.", counter)
	jobsNow          = define("jobs", "Changes of tables that are under way, by all servers: of salt, indexes, keys and types.", gauge, "state")
	tablesNow        = define("tables", "Tables of users.", gauge)
	catalogVersion   = define("catalog_version", "Version of the catalog that this server sees: servers of one store should agree.", gauge)
	startTime        = define("start_time_seconds", "When the server was started, in Unix time.", gauge)
)

var all []*Metric

func define(name, help string, kind prometheus.ValueType, labels ...string) *Metric {
	m := &Metric{Name: "saltsql_" + name, Help: help, Labels: labels, Kind: kind}
	m.desc = prometheus.NewDesc(m.Name, help, labels, nil)
	all = append(all, m)
	return m
}

// All lists the metrics, by name, those of the embedded store among them.
func All() []*Metric {
	list := slices.Clone(all)
	slices.SortFunc(list, func(a, b *Metric) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// collector reads a DB's counters.
type collector struct{ db *session.DB }

func (c collector) Describe(out chan<- *prometheus.Desc) { describe(out) }

func describe(out chan<- *prometheus.Desc) {
	for _, m := range all {
		out <- m.desc
	}
}

func (m *Metric) give(out chan<- prometheus.Metric, v float64, labels ...string) {
	out <- prometheus.MustNewConstMetric(m.desc, m.Kind, v, labels...)
}

// copyNanos gives a histogram of seconds that another library keeps in nanoseconds, under a name
// of its own, with fewer buckets: the next bound is at least twice the one before.
func (m *Metric) copyNanos(out chan<- prometheus.Metric, from prometheus.Metric) {
	var now dto.Metric
	if err := from.Write(&now); err != nil {
		out <- prometheus.NewInvalidMetric(m.desc, err)
		return
	}
	h := now.GetHistogram()
	buckets := make(map[float64]uint64, len(h.Bucket))
	last := 0.0
	for _, b := range h.Bucket {
		if bound := b.GetUpperBound(); bound > 0 && bound >= 2*last {
			buckets[bound/1e9], last = b.GetCumulativeCount(), bound
		}
	}
	out <- prometheus.MustNewConstHistogram(m.desc, h.GetSampleCount(), h.GetSampleSum()/1e9, buckets)
}

func (c collector) Collect(out chan<- prometheus.Metric) {
	states := map[string]int{"active": 0, "idle": 0, "idle in transaction": 0, "idle in transaction (aborted)": 0}
	for _, a := range c.db.Activity() {
		states[a.State]++
	}
	for state, n := range states {
		sessionsNow.give(out, float64(n), state)
	}
	plans := c.db.PlanStats()
	planCache.give(out, float64(plans.Hits), "hit")
	planCache.give(out, float64(plans.Misses), "miss")
	plansKept.give(out, float64(plans.Bytes))
	memoryBytes.give(out, float64(c.db.Memory().Used()))
	memoryLimit.give(out, float64(c.db.Memory().Limit()))
	lockWaits.give(out, float64(c.db.LockWaits()))
	timestampWaits.give(out, float64(c.db.TimestampWaits()))
	t := c.db.TransactionCounts()
	for event, n := range map[string]int64{"commit": t.Commits, "conflict": t.Conflicts, "lock met": t.LocksMet, "pushed": t.Pushed,
		"rolled forward": t.RolledForward, "rolled back": t.RolledBack, "image": t.Images, "timestamp": t.Timestamps} {
		transactions.give(out, float64(n), event)
	}
	slowDropped.give(out, float64(c.db.SlowLogDropped()))
	snap := c.db.Catalog().Snapshot()
	tables, planned, copying := c.db.CatalogCounts()
	tablesNow.give(out, float64(tables))
	jobsNow.give(out, float64(planned), "planned")
	jobsNow.give(out, float64(copying), "copying")
	catalogVersion.give(out, float64(snap.Version()))
	startTime.give(out, float64(c.db.Started().UnixMilli())/1000)
	if s := c.db.Statements(); s != nil {
		c.statements(s, out)
	}
}

func (c collector) statements(s *statements.Collector, out chan<- prometheus.Metric) {
	entries, _ := s.Size()
	shapes.give(out, float64(entries))
	times, _ := s.Info()
	evictions.give(out, float64(times))
	snap := c.db.Catalog().Snapshot()
	there := func(id uint32) bool { return snap.TableByID(id) != nil }
	t := s.Totals(there)
	t.Each(func(kind statements.Kind, class string, n int64) {
		statementsTotal.give(out, float64(n), kind.String(), class)
	})
	t.Times(func(kind statements.Kind, counts []uint64, n uint64, sum time.Duration) {
		buckets := make(map[float64]uint64, len(counts))
		for i, bound := range statements.Bounds {
			buckets[bound.Seconds()] = counts[i]
		}
		out <- prometheus.MustNewConstHistogram(statementSeconds.desc, n, sum.Seconds(), buckets, kind.String())
	})
	rowsTotal.give(out, float64(t.RowsRead), "read")
	rowsTotal.give(out, float64(t.RowsReturned), "returned")
	rowsTotal.give(out, float64(t.RowsWritten), "written")
	storageBytes.give(out, float64(t.BytesRead), "read")
	statementCalls.give(out, float64(t.StorageCalls))
	bucketsRead.give(out, float64(t.Buckets))
	spilled.give(out, float64(t.SpillBytes))
	allTableOps.give(out, float64(t.TableReads), "read")
	allTableOps.give(out, float64(t.TableWrites), "write")
	for _, u := range busiest(t, there) {
		x := snap.TableByID(u.table)
		tableOps.give(out, float64(u.Reads), x.Schema+"."+x.Name, "read")
		tableOps.give(out, float64(u.Writes), x.Schema+"."+x.Name, "write")
	}
}

// used is a table with what was done to it.
type used struct {
	table uint32
	statements.TableCount
}

// busiest gives the tables that are shown by name, which are there. Those of the others are not summed up: a table
// that joins the busiest would take its count out of the sum, and a counter must not go back.
func busiest(t *statements.Totals, there func(uint32) bool) (top []used) {
	order := func(a, b used) int {
		return cmp.Or(cmp.Compare(b.Reads+b.Writes, a.Reads+a.Writes), cmp.Compare(a.table, b.table))
	}
	t.Tables(func(table uint32, n statements.TableCount) {
		u := used{table, n}
		full := len(top) == namedTables
		if full && order(u, top[namedTables-1]) > 0 || !there(table) {
			return
		}
		if full {
			top = top[:namedTables-1]
		}
		at, _ := slices.BinarySearchFunc(top, u, order)
		top = slices.Insert(top, at, u)
	})
	return top
}
