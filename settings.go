package saltsql

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner"
)

// setting defines a run-time parameter. check turns the value given into the one kept, or
// says why not. A nil check takes any text; readOnly parameters are only shown.
type setting struct {
	name     string // as shown; looked up without regard to case
	def      string
	doc      string
	check    func(name, value string) (string, error)
	readOnly bool
	report   bool // told to the client by ParameterStatus when it changes
}

// serverVersion is the PostgreSQL version whose behaviour is the reference.
const serverVersion = "15.0"

var parameters = makeSettings([]setting{
	{name: "application_name", doc: "Sets the application name to be reported in logs.", report: true},
	{name: "backslash_quote", def: "safe_encoding", check: oneOf("safe_encoding", "on", "off"), doc: `Sets whether "\'" is allowed in string literals.`},
	{name: "bytea_output", def: "hex", check: oneOf("hex", "escape"), doc: "Sets the output format for bytea."},
	{name: "check_function_bodies", def: "on", check: boolean, doc: "Check routine bodies during CREATE."},
	{name: "client_encoding", def: "UTF8", check: utf8Only, doc: "Sets the client's character set encoding.", report: true},
	{name: "client_min_messages", def: "notice", check: oneOf("debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning", "error"), doc: "Sets the message levels that are sent to the client."},
	{name: "DateStyle", def: "ISO, MDY", check: dateStyle, doc: "Sets the display format for date and time values.", report: true},
	{name: "default_table_access_method", def: "saltsql", check: oneOf("saltsql", "heap"), doc: "Sets the default table access method for new tables."},
	{name: "default_tablespace", check: oneOf(""), doc: "Sets the default tablespace to create tables in."},
	{name: "default_transaction_deferrable", def: "off", check: boolean, doc: "Sets the default deferrable status of new transactions."},
	{name: "default_transaction_isolation", def: "read committed", check: isolation, doc: "Sets the transaction isolation level of each new transaction."},
	{name: "default_transaction_read_only", def: "off", check: boolean, doc: "Sets the default read-only status of new transactions.", report: true},
	{name: "escape_string_warning", def: "on", check: boolean, doc: "Warn about backslash escapes in ordinary string literals."},
	{name: "extra_float_digits", def: "1", check: integer(-15, 3), doc: "Sets the number of digits displayed for floating-point values."},
	{name: "idle_in_transaction_session_timeout", def: "0", check: duration, doc: "Sets the maximum allowed idle time between queries, when in a transaction."},
	{name: "idle_session_timeout", def: "0", check: duration, doc: "Sets the maximum allowed idle time between queries, when not in a transaction."},
	{name: "in_hot_standby", def: "off", readOnly: true, doc: "Shows whether hot standby is currently active.", report: true},
	{name: "integer_datetimes", def: "on", readOnly: true, doc: "Shows whether datetimes are integer based.", report: true},
	{name: "IntervalStyle", def: "postgres", check: oneOf("postgres"), doc: "Sets the display format for interval values.", report: true},
	{name: "is_superuser", def: "on", readOnly: true, doc: "Shows whether the current user is a superuser.", report: true},
	{name: "jit", def: "off", check: oneOf("off"), doc: "Allow JIT compilation (there is none)."},
	{name: "lc_collate", def: "C", readOnly: true, doc: "Shows the collation order locale: text compares by bytes, which is key order."},
	{name: "lc_ctype", def: "C.UTF-8", readOnly: true, doc: "Shows the character classification locale."},
	{name: "lc_messages", def: "C", check: oneOf("C", "POSIX", "en_US.UTF-8", ""), doc: "Sets the language in which messages are displayed."},
	{name: "lc_monetary", def: "C", check: oneOf("C", "POSIX", "en_US.UTF-8"), doc: "Sets the locale for formatting monetary amounts."},
	{name: "lc_numeric", def: "C", check: oneOf("C", "POSIX", "en_US.UTF-8"), doc: "Sets the locale for formatting numbers."},
	{name: "lc_time", def: "C", check: oneOf("C", "POSIX", "en_US.UTF-8"), doc: "Sets the locale for formatting date and time values."},
	{name: "lock_timeout", def: "0", check: duration, doc: "Sets the maximum allowed duration of any wait for a lock."},
	{name: "max_identifier_length", def: "63", readOnly: true, doc: "Shows the maximum identifier length."},
	{name: "max_index_keys", def: "32", readOnly: true, doc: "Shows the maximum number of index keys."},
	{name: "row_security", def: "on", check: boolean, doc: "Enable row security."},
	{name: "search_path", def: `"$user", public`, doc: "Sets the schema search order for names that are not schema-qualified."},
	{name: "server_encoding", def: "UTF8", readOnly: true, doc: "Shows the server (database) character set encoding.", report: true},
	{name: "server_version", def: serverVersion, readOnly: true, doc: "Shows the PostgreSQL version whose behaviour is followed.", report: true},
	{name: "server_version_num", def: "150000", readOnly: true, doc: "Shows the server version as an integer."},
	{name: "session_authorization", readOnly: true, doc: "Shows the session user name.", report: true},
	{name: "standard_conforming_strings", def: "on", check: oneOf("on"), doc: `Causes '...' strings to treat backslashes literally.`, report: true},
	{name: "statement_timeout", def: "0", check: duration, doc: "Sets the maximum allowed duration of any statement."},
	{name: "synchronize_seqscans", def: "on", check: boolean, doc: "Enable synchronized sequential scans (scans here never share a position)."},
	{name: "TimeZone", def: "UTC", check: timeZone, doc: "Sets the time zone for displaying and interpreting time stamps.", report: true},
	{name: "transaction_deferrable", def: "off", check: boolean, doc: "Whether to defer a read-only serializable transaction."},
	{name: "transaction_isolation", def: "read committed", check: isolation, doc: "Sets the current transaction's isolation level."},
	{name: "transaction_read_only", def: "off", check: boolean, doc: "Sets the current transaction's read-only status."},
	{name: "work_mem", def: "64MB", check: bytesSize, doc: "Sets the memory one statement may use for sorting and hashing before it spills to disk."},
	{name: "xmloption", def: "content", check: oneOf("content", "document"), doc: "Sets whether XML data is to be considered as documents or content fragments."},

	{name: "saltsql.rules", def: "on", check: boolean, doc: "For tests: off runs every query as full scans, filters and sorts."},
	{name: "saltsql.full_scan", def: "on", check: oneOf("on", "notice", "off"), doc: "Sets whether statements may read whole tables: on, notice (and say so) or off."},
	{name: "saltsql.hints", check: hintList, doc: "Sets hints for every statement: SERIAL, FORWARD_SCAN, RANGE_SCAN, SKIP_SCAN."},
	{name: "saltsql.max_statement_memory", def: "0", check: orZero(bytesSize), doc: "Sets how much memory one statement may hold, of all kinds; 0 is half of what all statements may."},
	{name: "saltsql.max_scan_rows", def: "0", check: integer(0, 1<<62), doc: "Sets how many rows one statement may read, by scans and by keys; 0 is no limit."},
	{name: "saltsql.max_streams", def: "0", check: integer(0, 1024), doc: "Sets how many scans of one statement may run at once; 0 leaves it to the store."},
	{name: "saltsql.max_transaction_size", def: "1GB", check: bytesSize, doc: "Sets how many bytes of writes a transaction may hold before it commits."},
})

func makeSettings(list []setting) map[string]*setting {
	m := make(map[string]*setting, len(list))
	for i := range list {
		m[strings.ToLower(list[i].name)] = &list[i]
	}
	return m
}

// settingNames lists the parameters in the order of SHOW ALL.
func settingNames() []string {
	var names []string
	for _, s := range parameters {
		names = append(names, s.name)
	}
	sort.Slice(names, func(i, j int) bool { return strings.ToLower(names[i]) < strings.ToLower(names[j]) })
	return names
}

// reported lists the parameters that clients are told of, in order.
var reported = slices.DeleteFunc(settingNames(), func(name string) bool {
	return !parameters[strings.ToLower(name)].report
})

func badValue(name, value string) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for parameter %q: %q", name, value)
}

func oneOf(values ...string) func(string, string) (string, error) {
	return func(name, value string) (string, error) {
		for _, v := range values {
			if strings.EqualFold(v, value) {
				return v, nil
			}
		}
		return "", badValue(name, value).WithHint("Available values: %s.", strings.Join(values, ", "))
	}
}

func hintList(name, value string) (string, error) {
	if _, bad := planner.HintsOf(value); bad != "" {
		return "", badValue(name, value).WithHint("%q is no hint. The hints are SERIAL, FORWARD_SCAN, RANGE_SCAN and SKIP_SCAN.", bad)
	}
	return value, nil
}

func boolean(name, value string) (string, error) {
	v := strings.ToLower(value)
	switch {
	case v == "":
	case v == "1" || v == "on" || strings.HasPrefix("true", v) || strings.HasPrefix("yes", v):
		return "on", nil
	case v == "0" || len(v) > 1 && strings.HasPrefix("off", v) || strings.HasPrefix("false", v) || strings.HasPrefix("no", v):
		return "off", nil
	}
	return "", sqlerr.New(sqlerr.InvalidParameterValue, "parameter %q requires a Boolean value", name)
}

func integer(lo, hi int64) func(string, string) (string, error) {
	return func(name, value string) (string, error) {
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil {
			return "", badValue(name, value)
		}
		if n < lo || n > hi {
			return "", sqlerr.New(sqlerr.InvalidParameterValue, "%d is outside the valid range for parameter %q (%d .. %d)", n, name, lo, hi)
		}
		return strconv.FormatInt(n, 10), nil
	}
}

// utf8Only reads an encoding's name as Postgres does: by its letters and digits.
func utf8Only(name, value string) (string, error) {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(value))
	switch plain {
	case "utf8", "unicode":
		return "UTF8", nil
	}
	return "", badValue(name, value).WithHint("saltsql speaks UTF8 only.")
}

func dateStyle(name, value string) (string, error) {
	for _, w := range strings.Split(value, ",") {
		switch strings.ToLower(strings.TrimSpace(w)) {
		case "iso", "default", "", "mdy", "us", "noneuro", "noneuropean":
		case "dmy", "euro", "european", "ymd":
			return "", sqlerr.Unsupported(fmt.Sprintf("DateStyle %s is not supported", strings.TrimSpace(w)),
				"Write dates as YYYY-MM-DD, which every order reads alike; DateStyle is ISO, MDY.")
		case "sql", "postgres", "german":
			return "", sqlerr.Unsupported(fmt.Sprintf("DateStyle %s is not supported", strings.TrimSpace(w)),
				"Use ISO, and to_char for other formats.")
		default:
			return "", badValue(name, value)
		}
	}
	return "ISO, MDY", nil
}

func isolation(name, value string) (string, error) {
	v := strings.Join(strings.Fields(strings.ToLower(value)), " ")
	return oneOf("read committed", "repeatable read", "serializable", "read uncommitted")(name, v)
}

func timeZone(name, value string) (string, error) {
	if _, err := loadZone(value); err != nil {
		return "", badValue(name, value)
	}
	if strings.EqualFold(value, "utc") {
		return "UTC", nil
	}
	return value, nil
}

// duration reads a time in ms or with a unit, as Postgres's GUC_UNIT_MS
// parameters, and shows it in the largest unit that is exact.
func duration(name, value string) (string, error) {
	d, err := parseDuration(value)
	if err != nil || d < 0 {
		return "", badValue(name, value).WithHint(`Valid units for this parameter are "us", "ms", "s", "min", "h", and "d".`)
	}
	for _, u := range []struct {
		d    time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if d > 0 && d%u.d == 0 {
			return fmt.Sprintf("%d%s", d/u.d, u.name), nil
		}
	}
	if d == 0 {
		return "0", nil
	}
	return fmt.Sprintf("%dms", d/time.Millisecond), nil
}

func parseDuration(value string) (time.Duration, error) {
	return parseUnits(value, float64(time.Millisecond), map[string]float64{
		"us": float64(time.Microsecond), "ms": float64(time.Millisecond), "s": float64(time.Second),
		"min": float64(time.Minute), "h": float64(time.Hour), "d": float64(24 * time.Hour),
	}, func(v float64) time.Duration {
		return time.Duration(v).Round(time.Millisecond)
	})
}

func bytesSize(name, value string) (string, error) {
	n, err := parseBytes(value)
	if err != nil || n < 64<<10 {
		return "", badValue(name, value).WithHint(`Valid units for this parameter are "B", "kB", "MB", "GB", and "TB"; at least 64kB.`)
	}
	for _, u := range []struct {
		n    int64
		name string
	}{{1 << 40, "TB"}, {1 << 30, "GB"}, {1 << 20, "MB"}, {1 << 10, "kB"}} {
		if n%u.n == 0 {
			return fmt.Sprintf("%d%s", n/u.n, u.name), nil
		}
	}
	return fmt.Sprintf("%dB", n), nil
}

// orZero takes 0 beside what check takes.
func orZero(check func(name, value string) (string, error)) func(string, string) (string, error) {
	return func(name, value string) (string, error) {
		if strings.TrimSpace(value) == "0" {
			return "0", nil
		}
		return check(name, value)
	}
}

func parseBytes(value string) (int64, error) {
	return parseUnits(value, 1<<10, map[string]float64{
		"B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40,
	}, func(v float64) int64 { return int64(v) })
}

// parseUnits reads a number with an optional unit; bare numbers are in unit def.
func parseUnits[T any](value string, def float64, units map[string]float64, conv func(float64) T) (T, error) {
	var zero T
	s := strings.TrimSpace(value)
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.' || i == 0 && (s[i] == '-' || s[i] == '+')) {
		i++
	}
	v, err := strconv.ParseFloat(s[:i], 64)
	if err != nil {
		return zero, err
	}
	if unit := strings.TrimSpace(s[i:]); unit != "" {
		u, ok := units[unit]
		if !ok {
			return zero, fmt.Errorf("unknown unit %q", unit)
		}
		def = u
	}
	if v *= def; v > 1<<62 || v < -(1<<62) {
		return zero, fmt.Errorf("out of range")
	}
	return conv(v), nil
}
