package main

import "fmt"

// goal is a rate that saltsql should have: so many times that of what stands beside it. Names are
// those of benchmarks, without the number of processors.
type goal struct {
	what              string
	own, beside, atop string // atop is the floor; none is empty
	want              float64
	why               string // it is missed
}

const (
	iterators = "Aggregate/pebble-iterators" // a million rows, by bare iterators on all processors
	batches   = "Copy/pebble-batches"
)

// Why goals are missed, in the order of the time that the profile shows.
const (
	seeks       = "each bucket is sought in, 1.0 µs in files and 1.7 in memtables, where PostgreSQL goes down one tree; the floor does the same"
	oneSync     = "the sync of the log is most of it, for PostgreSQL and the floor too"
	answers     = "five answers to deliver, a sync, and each UPDATE reads its row three times: for the statement, under its lock, and to merge it at commit"
	scansRows   = "the scan of its rows is most of it: rows of cells, which are decoded, against PostgreSQL's tuples in place, on all processors for both"
	twoSeeks    = "two seeks, one in the index and one in the table, against a tree and a page: with 8 clients a bare loop around them takes as long as PostgreSQL"
	roundTrip   = "the round trip is most of it, for PostgreSQL and the floor too: 23 of 34 µs of a row by a covering index"
	passesOver  = "a document's text is passed over byte by byte, where PostgreSQL's jsonb tells how long its parts are and looks for a member by halves"
	packs       = "an entry is sorted, packed as a row and given its key one by one"
	packsRows   = "a row is parsed, given its key and cells, packed, claimed and put into a sorted table, about a fifth of the time each; PostgreSQL appends a tuple to a page and an entry to its tree"
	writesTwice = "rows in no order are packed into runs, and merged where they are more than 128 MB"
	inMemtables = "what is clean is read from its files, below Pebble's iterators; what was updated lies in memtables and several levels until its reads have paid for a flush, where a bare Pebble takes twice as long"
)

// goals are all that `make bench` prints.
func goals() []goal {
	var all []goal
	for _, p := range []struct {
		mode    string
		clients int
		want    float64
	}{{"prepared", 1, 1}, {"prepared", 8, 0.95}, {"simple", 1, 0.8}, {"simple", 8, 0.8}} {
		name := fmt.Sprintf("Pgbench/%s/clients-%d/", p.mode, p.clients)
		g := goal{fmt.Sprintf("one row by its key, %s, %d clients", p.mode, p.clients), name + "saltsql", name + "postgres", name + "floor", p.want, ""}
		if p.mode == "simple" {
			g.atop = ""
		}
		all = append(all, g)
	}
	for _, n := range []int{10, 100} {
		for _, form := range []string{"range", "limit"} {
			for _, buckets := range []int{0, 16, 64} {
				for _, clients := range []int{1, 8} {
					want := map[int][2]float64{0: {1.5, 1.2}, 16: {1, 0.8}, 64: {0.6, 0.35}}[buckets][min(clients-1, 1)]
					name := fmt.Sprintf("PgbenchRange/%d/%s/clients-%d/", n, form, clients)
					why := seeks
					if buckets == 0 {
						why = roundTrip
					}
					all = append(all, goal{fmt.Sprintf("%d rows by %s, N = %d, %d clients", n, form, buckets, clients),
						fmt.Sprintf("%ssalt-%d", name, buckets), name + "postgres", fmt.Sprintf("%sfloor-%d", name, max(buckets, 1)), want, why})
				}
			}
		}
	}
	for _, form := range []string{"range", "limit"} {
		all = append(all, goal{"100 rows by " + form + " after three updates of each, beside clean", "RangeUpdated/updated/go-api/" + form, "RangeUpdated/clean/go-api/" + form, "RangeUpdated/updated/pebble", 0.8, inMemtables})
	}
	for _, w := range []struct {
		name    string
		clients int
		want    float64
		why     string
	}{
		{"update", 1, 1.3, oneSync}, {"update", 8, 1.3, oneSync},
		{"transaction", 8, 1.2, answers}, {"transaction", 64, 1.2, answers},
		{"insert-two-indexes", 64, 1, ""},
	} {
		name := fmt.Sprintf("Write/%s/clients-%d/", w.name, w.clients)
		g := goal{fmt.Sprintf("%s, %d clients", w.name, w.clients), name + "saltsql", name + "postgres", name + "floor", w.want, w.why}
		if w.name == "insert-two-indexes" {
			g.atop = ""
		}
		all = append(all, g)
	}
	for _, q := range []struct {
		name, what string
		buckets    int
		want       float64
	}{
		{"4", "GROUP BY, 4 groups", 16, 2}, {"200", "GROUP BY, 200 groups", 16, 2}, {"600000", "GROUP BY, 600,000 groups, top 10", 16, 1.5},
		{"distinct", "count(DISTINCT int)", 16, 2}, {"percentile", "percentile_cont", 16, 1},
		{"top", "ORDER BY a column LIMIT 10", 0, 1.5}, {"filter", "a filter by LIKE", 0, 1.5}, {"scan", "sum and count of half the rows", 0, 1.5},
	} {
		all = append(all, goal{fmt.Sprintf("%s, N = %d", q.what, q.buckets), fmt.Sprintf("Group/salt-%d/%s", q.buckets, q.name), "Group/postgres/" + q.name, iterators, q.want, scansRows})
	}
	all = append(all, goal{"a member of jsonb compared, and one below it summed up", "Document/salt-16/nested", "Document/postgres/nested", iterators, 1, passesOver})
	for _, k := range []struct {
		groups, buckets int
		want            float64
	}{{400000, 8, 1.5}, {400000, 0, 1.5}, {100, 16, 1}} {
		name := fmt.Sprintf("GroupKey/%d/", k.groups)
		own := fmt.Sprintf("%ssalt-%d/", name, k.buckets)
		all = append(all, goal{fmt.Sprintf("GROUP BY the leading key column, %d groups, N = %d", k.groups, k.buckets), own + "group", name + "postgres/group", own + "count", k.want, scansRows})
	}
	all = append(all,
		goal{"COPY in order, wire, N = 16", "Copy/wire/in-order/salt-16", "Copy/wire/in-order/postgres", batches, 2, packsRows},
		goal{"COPY in no order, wire, N = 16", "Copy/wire/no-order/salt-16", "Copy/wire/no-order/postgres", batches, 1.3, writesTwice},
		goal{"COPY with two indexes, wire", "Indexes/copy-two-indexes/saltsql", "Indexes/copy-two-indexes/postgres", "", 1 / 1.3, packs})
	for _, name := range []string{"create-n", "create-v", "create-unique-v"} {
		all = append(all, goal{"CREATE INDEX, " + name, "Indexes/" + name + "/saltsql", "Indexes/" + name + "/postgres", "", 1 / 1.5, packs})
	}
	for _, p := range []struct{ name, what, why string }{{"covered-point", "one row by a covering index", roundTrip}, {"point", "one row by an index that does not cover", twoSeeks}} {
		for _, mode := range []string{"simple", "prepared"} {
			for _, clients := range []int{1, 8, 64} {
				name := fmt.Sprintf("Indexes/%s/%s/clients-%d/", p.name, mode, clients)
				g := goal{fmt.Sprintf("%s, %s, %d clients", p.what, mode, clients), name + "saltsql", name + "postgres", name + "floor", 1.2, p.why}
				if mode == "simple" {
					g.atop = ""
				}
				all = append(all, g)
			}
		}
	}
	return append(all,
		goal{"one row joined to ten by the key, wire", "LookupJoin/saltsql-16", "LookupJoin/postgres", "", 1.5, roundTrip},
		goal{"a join by bucket, beside no salt", "BucketJoin/salt-16/hash", "BucketJoin/salt-0/hash", "", 1 / 0.6, ""})
}
