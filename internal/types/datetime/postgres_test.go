package datetime

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// readers are the types and how a text is read as one of them here, and printed.
var readers = []reader{
	{"date", func(s string, ctx *Context, style Style) (string, error) {
		v, err := ParseDate(s, ctx)
		return string(style.AppendDate(nil, v)), err
	}},
	{"time", func(s string, ctx *Context, _ Style) (string, error) {
		v, err := ParseTime(s, ctx)
		return string(AppendTime(nil, v)), err
	}},
	{"timestamp", func(s string, ctx *Context, style Style) (string, error) {
		v, err := ParseTimestamp(s, ctx)
		return string(style.AppendTimestamp(nil, v)), err
	}},
	{"timestamptz", func(s string, ctx *Context, style Style) (string, error) {
		v, err := ParseTimestamptz(s, ctx)
		return string(style.AppendTimestamptz(nil, v, ctx.Zone)), err
	}},
	interval("interval", AllFields),
	interval("interval year", YearField),
	interval("interval month", MonthField),
	interval("interval day", DayField),
	interval("interval hour", HourField),
	interval("interval minute", MinuteField),
	interval("interval year to month", YearField|MonthField),
	interval("interval day to hour", DayField|HourField),
	interval("interval minute to second", MinuteField|SecondField),
	interval("interval day to second", DayField|HourField|MinuteField|SecondField),
}

type reader struct {
	name string
	read func(s string, ctx *Context, style Style) (string, error)
}

func interval(name string, fields IntervalFields) reader {
	return reader{name, func(s string, _ *Context, style Style) (string, error) {
		v, _, err := style.Spans.Parse(s, fields)
		if err == nil {
			v = fields.Keep(v)
		}
		return string(style.AppendInterval(nil, v.Months, v.Days, v.Micros)), err
	}}
}

// asked is a text, what it is read as (an index of readers) and what comes of it here.
type asked struct {
	text   string
	reader int
	got    string
}

// TestTextAgainstPostgres reads random texts here and in PostgreSQL, under the same zone and
// styles, which must give the same value or the same SQLSTATE, message and hint. SALTSQL_DATES is how many it reads.
func TestTextAgainstPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	dsn := pgtest.Start(t)
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, tryCast); err != nil {
		t.Fatal(err)
	}
	total := 20000
	if n := os.Getenv("SALTSQL_DATES"); n != "" {
		if total, err = strconv.Atoi(n); err != nil {
			t.Fatal(err)
		}
	}
	const batch = 2000
	seed := seeds.First(t)
	zones := []string{"UTC", "America/New_York", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "Africa/Monrovia"}
	valid, refused, beyond, installed, differ := 0, 0, 0, 0, 0
	for n := 0; n < total && differ < 400; n += batch {
		g := generator{rand.New(rand.NewPCG(seed, uint64(n)))}
		zone, err := time.LoadLocation(zones[g.IntN(len(zones))])
		if err != nil {
			t.Fatal(err)
		}
		var style Style // the first batch is of the default
		if n > 0 {
			style = Style{DateStyle(g.IntN(len(DateStyles))), Order(g.IntN(len(Orders))), SpanStyle(g.IntN(len(SpanStyles)))}
		}
		cases := make([]asked, batch)
		for i := range cases {
			if g.IntN(3) == 0 {
				cases[i].reader = 4
				if g.IntN(4) == 0 {
					cases[i].reader = 4 + g.IntN(len(readers)-4)
				}
				cases[i].text = g.intervalText()
			} else {
				cases[i] = asked{text: g.dateText(), reader: g.IntN(4)}
			}
		}
		for i, want := range askPostgres(ctx, t, conn, zone, style, cases) {
			c := cases[i]
			switch {
			case c.got == want:
				if strings.HasPrefix(want, "ERROR") {
					refused++
				} else {
					valid++
				}
			case strings.HasPrefix(readers[c.reader].name, "timestamp") && strings.Contains(c.got, "timestamp out of range") && yearsLeftOut.MatchString(want):
				beyond++ // the package's years end earlier
			case !strings.HasPrefix(want, "ERROR") && !strings.HasPrefix(c.got, "ERROR") && withoutRules(c.text):
				installed++
			default:
				differ++
				t.Errorf("%s %q in %s, %s, %s, %s\n  here     %s\n  postgres %s", readers[c.reader].name, c.text, zone,
					DateStyles[style.Dates], Orders[style.Order], SpanStyles[style.Spans], c.got, want)
			}
		}
	}
	t.Logf("%d values, %d refusals, %d in years that are left out, %d with rules of the installation, %d differ", valid, refused, beyond, installed, differ)
	if valid < total/20 || refused < total/20 {
		t.Errorf("the texts are not worth comparing")
	}
}

// yearsLeftOut finds the last days of 294246 and the years after it, in all styles.
var yearsLeftOut = regexp.MustCompile(`\b2942(46|[5-7]\d)\b`)

// withoutRules says that a text has a zone as POSIX writes it, with daylight saving time but
// without its rules. These come from a file posixrules where the server's installation has
// one, with the history of New York, and are today's of the United States where it has none.
func withoutRules(s string) bool {
	var d decoder
	if d.decode(s, &Context{}, false, maxTimestampText) != good || d.zone == nil {
		return false
	}
	name := d.zone.String()
	_, region := regions.Load(strings.ToLower(name))
	_, constant := constantOffset(d.zone)
	return !region && !constant && !strings.ContainsAny(name, ",;")
}

// askPostgres casts all the texts in a transaction, at whose time they are read here as well.
func askPostgres(ctx context.Context, t *testing.T, conn *pgx.Conn, zone *time.Location, style Style, cases []asked) []string {
	t.Helper()
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(ctx)
	for name, value := range map[string]string{
		"timezone": zone.String(), "datestyle": DateStyles[style.Dates] + ", " + Orders[style.Order], "intervalstyle": SpanStyles[style.Spans],
	} {
		if _, err := tx.Exec(ctx, "SET LOCAL "+name+" = '"+value+"'"); err != nil {
			t.Fatal(err)
		}
	}
	var now time.Time
	if err := tx.QueryRow(ctx, "SELECT now()").Scan(&now); err != nil {
		t.Fatal(err)
	}
	var texts, types []string
	for i := range cases {
		c := &cases[i]
		c.text = strings.ToValidUTF8(strings.ReplaceAll(c.text, "\x00", ""), "")
		c.got = func() string {
			v, err := readers[c.reader].read(c.text, &Context{Zone: zone, Now: now, Order: style.Order}, style)
			if err == nil {
				return v
			}
			e := sqlerr.As(err)
			if e == nil {
				return err.Error()
			}
			return strings.TrimSpace(fmt.Sprintf("ERROR %s %s %s", e.Code, e.Message, e.Hint))
		}()
		texts, types = append(texts, c.text), append(types, readers[c.reader].name)
	}
	rows, err := tx.Query(ctx, "SELECT try_cast(x, t) FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS u (x, t, n) ORDER BY n", texts, types)
	if err != nil {
		t.Fatal(err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const tryCast = `CREATE FUNCTION try_cast(x text, t text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r text; code text; msg text; hint text;
BEGIN
	CASE t
	WHEN 'date' THEN r := x::date;
	WHEN 'time' THEN r := x::time;
	WHEN 'timestamp' THEN r := x::timestamp;
	WHEN 'timestamptz' THEN r := x::timestamptz;
	WHEN 'interval' THEN r := x::interval;
	ELSE EXECUTE format('SELECT interval %L %s', x, substr(t, 10)) INTO r;
	END CASE;
	RETURN r;
EXCEPTION WHEN others THEN
	GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, msg = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
	RETURN rtrim('ERROR ' || code || ' ' || msg || ' ' || hint);
END $$`
