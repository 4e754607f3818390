package ddl

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// importSequences makes the sequences, with the values that come next.
func (r *Runner) importSequences(ctx context.Context, u *tree.ImportPhoenix, from string) ([][]string, error) {
	var report [][]string
	var rows []phoenixRow
	err := r.readSystem(ctx, systemSequence, from, 0, func(row phoenixRow) error {
		if u.Wants(row.text("sequence_schema"), row.text("sequence_name")) {
			rows = append(rows, row)
		}
		return nil
	})
	if err != nil {
		return [][]string{{"sequence", "all", leftOut, reason(err)}}, nil
	}
	for _, row := range rows {
		result, note := importedSequence, ""
		switch {
		case row.text("tenant_id") != "":
			result, note = leftOut, "A sequence of one tenant: CREATE SEQUENCE under a name of its own."
		case strings.HasSuffix(row.text("sequence_name"), "_ID_") && (row.int("start_with") == math.MinInt16 || row.int("start_with") == math.MinInt64):
			result, note = leftOut, "Phoenix numbers the indexes of views by it."
		default:
			if err := r.importSequence(ctx, row); err != nil {
				result, note = leftOut, reason(err)
			} else {
				note = fmt.Sprintf("The next value is %d.", row.int("current_value"))
			}
		}
		report = append(report, []string{"sequence", dotted(row.text("sequence_schema"), row.text("sequence_name")), result, note})
	}
	return report, nil
}

// importSequence makes one. CURRENT_VALUE is what no client has taken yet.
func (r *Runner) importSequence(ctx context.Context, row phoenixRow) error {
	name := catalog.Name{Schema: "public", Name: folded(row.text("sequence_name"))}
	if s := row.text("sequence_schema"); s != "" {
		name.Schema = folded(s)
		if _, err := r.Catalog.CreateSchema(ctx, name.Schema, 0, true); err != nil {
			return err
		}
	}
	start, step, lo, hi := row.int("start_with"), row.int("increment_by"), row.int("min_value"), row.int("max_value")
	q, _, err := r.Catalog.CreateSequence(ctx, &catalog.SequenceDef{Name: name, Options: catalog.SequenceOptions{
		Start: &start, Increment: &step, Min: &lo, Max: &hi, Cycle: row.is("cycle_flag"), Cache: row.int("cache_size"),
	}}, false)
	if err != nil {
		return err
	}
	next, called := row.int("current_value"), false
	if row.is("limit_reached_flag") {
		called, next = true, hi
		if step < 0 {
			next = lo
		}
	}
	return r.Catalog.SetVal(ctx, q.ID, next, called)
}
