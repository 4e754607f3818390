package planner

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/explain"
)

// ExplainOptions reads the options of EXPLAIN. ANALYZE, VERBOSE, FORMAT, TIMING
// and SUMMARY do what they do in Postgres. COSTS prints estimated rows and, with VERBOSE,
// costs. BUFFERS is taken: the work counters are always printed. Others are 42601, those
// of Postgres that would promise something 0A000, bad values 22023.
func ExplainOptions(opts []tree.Option) (explain.Options, error) {
	var o explain.Options
	timing, summary := (*bool)(nil), (*bool)(nil)
	for i := range opts {
		opt := &opts[i]
		if opt.Name == "format" {
			switch strings.ToLower(opt.Value) {
			case "text":
				o.JSON, o.YAML = false, false
			case "json":
				o.JSON, o.YAML = true, false
			case "yaml":
				o.JSON, o.YAML = false, true
			case "xml":
				return o, sqlerr.Unsupported("EXPLAIN (FORMAT XML) is not supported", "Use FORMAT TEXT, FORMAT JSON or FORMAT YAML.").At(opt.Pos)
			default:
				return o, sqlerr.New(sqlerr.InvalidParameterValue, `unrecognized value for EXPLAIN option "format": "%s"`, opt.Value).At(opt.Pos)
			}
			continue
		}
		on, err := optionIsOn(opt)
		if err != nil {
			return o, err
		}
		switch opt.Name {
		case "analyze":
			o.Analyze = on
		case "verbose":
			o.Verbose = on
		case "timing":
			timing = &on
		case "summary":
			summary = &on
		case "costs":
			o.NoRows = !on
		case "buffers":
		case "settings", "wal", "memory", "serialize", "generic_plan":
			if on {
				return o, sqlerr.Unsupported("EXPLAIN option "+strings.ToUpper(opt.Name)+" is not supported",
					"The options are ANALYZE, VERBOSE, FORMAT, TIMING and SUMMARY.").At(opt.Pos)
			}
		default:
			return o, sqlerr.New(sqlerr.SyntaxError, `unrecognized EXPLAIN option "%s"`, opt.Name).At(opt.Pos)
		}
	}
	if timing != nil && *timing && !o.Analyze {
		return o, sqlerr.New(sqlerr.InvalidParameterValue, "EXPLAIN option TIMING requires ANALYZE")
	}
	o.Timing = o.Analyze && (timing == nil || *timing)
	o.Summary = o.Analyze
	if summary != nil {
		o.Summary = *summary
	}
	return o, nil
}

func optionIsOn(opt *tree.Option) (bool, error) {
	if !opt.HasValue {
		return true, nil
	}
	switch strings.ToLower(opt.Value) {
	case "true", "on", "1":
		return true, nil
	case "false", "off", "0":
		return false, nil
	}
	return false, sqlerr.New(sqlerr.SyntaxError, "%s requires a Boolean value", opt.Name).At(opt.Pos)
}
