package tochar

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

func oracle(t *testing.T) *pgx.Conn {
	t.Helper()
	ctx := context.Background()
	c, err := pgx.Connect(ctx, pgtest.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(ctx) })
	_, err = c.Exec(ctx, `
CREATE FUNCTION try(q text, a text, b text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r text; d text; h text;
BEGIN
  EXECUTE q INTO r USING a, b;
  RETURN coalesce('=' || r, 'NULL');
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL, h = PG_EXCEPTION_HINT;
  RETURN 'ERROR ' || SQLSTATE || ' ' || SQLERRM || '|' || d || '|' || h;
END $$`)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ask runs q for each pair of a and b.
func ask(t *testing.T, c *pgx.Conn, q string, a, b []string) []string {
	t.Helper()
	rows, err := c.Query(context.Background(), `SELECT try($1, a, b) FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS u(a, b, n) ORDER BY n`, q, a, b)
	if err != nil {
		t.Fatal(err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func show(b []byte, null bool, err error) string {
	if err != nil {
		e := sqlerr.As(err)
		return fmt.Sprintf("ERROR %s %s|%s|%s", e.Code, e.Message, e.Detail, e.Hint)
	}
	if null {
		return "NULL"
	}
	return "=" + string(b)
}

// compare runs every template on every value.
func compare(t *testing.T, c *pgx.Conn, q string, values, templates []string, got func(value, template string) string) {
	t.Helper()
	var a, b []string
	for _, tm := range templates {
		for _, v := range values {
			a, b = append(a, v), append(b, tm)
		}
	}
	pairs(t, c, q, a, b, got)
}

func pairs(t *testing.T, c *pgx.Conn, q string, a, b []string, got func(value, template string) string) {
	t.Helper()
	bad := 0
	for i, want := range ask(t, c, q, a, b) {
		g := got(a[i], b[i])
		if strings.Contains(strings.ToUpper(g), `VALUE FOR "Y,YYY" IN SOURCE STRING IS OUT OF RANGE`) {
			continue // the version compared with wraps around
		}
		if g != want {
			if bad++; bad < 25 {
				t.Errorf("%q, %q:\n got %s\nwant %s", a[i], b[i], g, want)
			}
		}
	}
	t.Logf("%d cases, %d differ", len(a), bad)
}

var (
	dateTemplates = []string{
		"", `""`, "YYYY-MM-DD HH24:MI:SS.US", "YYYY", "YYY", "YY", "Y", "Y,YYY", "FMYYYY", "FMYYY", "FMYY", "FMY,YYY", "YYYYth", "IYYY IYY IY I", "FMIYYY", "BC AD bc ad B.C. A.D. b.c. a.d.",
		"MONTH|Month|month|MON|Mon|mon", "FMMONTH|FMMonth|FMmonth|FMMON", "TMMonth TMmon TMDay TMdy", "DAY|Day|day|DY|Dy|dy", "FMDAY|FMDay|FMday", "MM FMMM MMth MMTH", "RM|rm|FMRM|FMrm",
		"DDD FMDDD DDDth", "IDDD", "DD FMDD DDth FMDDth DDTH", "D ID Dth", "WW W IW FMWW Wth IWth", "CC FMCC CCth cc", "J Jth", "Q Qth q", "HH HH12 HH24 FMHH FMHH24", "HH24th MIth SSth", "MI SS FMMI FMSS",
		"MS US FF1 FF2 FF3 FF4 FF5 FF6 ff3", "FMMS FMUS MSth", "SSSS SSSSS SSSSth", "AM PM A.M. P.M. am pm a.m. p.m.", "TZ tz TZH TZM OF FMOF", "tzh tzm of", "FMDay, FMDD  HH12:MI:SS", `"quoted ""YYYY" YYYY`, `\"YYYY\"`, `"a\"b\\c" MM`, `YYYY\MM`, "FXYYYY", "FMFMMM", "THMM", "MMSP", "DDthth", "TMTMMM", "éYYYYé", "yyyy-mm-dd", "Yyyy", "hH24", "YYYYMMDDHH24MISSMSUS", "xyz", "FM", "TM", "DYD", "DDDD", "DDDDD", "SSSSSS", "IYYYIWID", "AMPM", `"unclosed MM`, "YYYY年MM月", "Dayth", "AMth", "FX", "dD", "Mm",
	}
	timestamps = []string{
		"2024-02-29 13:14:15.678901", "1999-12-31 23:59:59.999999", "2000-01-01 00:00:00", "1970-01-01 12:00:00", "0001-01-01 00:00:00", "0001-12-31 01:02:03 BC", "0099-05-05 05:05:05 BC", "0101-03-03 BC", "4713-01-01 BC", "12345-06-07 08:09:10.000011",
		"2011-11-11 11:11:11.11", "2012-12-12 12:12:12.12", "2003-03-03 03:03:03", "2021-01-03 00:30", "2020-12-28 23:00", "2018-12-31", "2010-01-04", "2010-01-03", "1900-01-01", "1901-01-01", "2100-07-22 10:21:31", "0600-01-01", "0100-01-01", "infinity", "-infinity",
	}
	intervals = []string{
		"0", "1 year", "-1 year", "14 months", "-14 months", "5 days", "-5 days", "1 year 2 months 3 days 04:05:06.789", "-1 year -2 months -3 days -04:05:06.789", "100:00:00", "-100:00:00", "00:00:00.000001", "-00:00:00.5", "13:00", "25:00", "-13:30", "1 month", "-1 month", "12 months", "1000 years", "123 years 11 mons", "-123 years", "400 days", "11 days 12 hours", "2562047788 hours",
	}
)

func TestOracle(t *testing.T) {
	c := oracle(t)
	ctx := &datetime.Context{}
	ts := func(s string) int64 {
		v, err := datetime.ParseTimestamp(s, ctx)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	t.Run("timestamp", func(t *testing.T) {
		compare(t, c, `SELECT to_char($1::timestamp, $2)`, timestamps, dateTemplates, func(v, tm string) string {
			return show(Dates([]byte(tm)).AppendTimestamp(nil, ts(v)))
		})
	})
	for _, zone := range []string{"UTC", "America/New_York", "Asia/Kolkata", "America/St_Johns"} {
		t.Run("timestamptz "+zone, func(t *testing.T) {
			loc, err := time.LoadLocation(zone)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Exec(context.Background(), "SET timezone = '"+zone+"'"); err != nil {
				t.Fatal(err)
			}
			compare(t, c, `SELECT to_char(($1 || '+00')::timestamptz, $2)`, timestamps[:4], dateTemplates, func(v, tm string) string {
				return show(Dates([]byte(tm)).AppendTimestamptz(nil, ts(v), loc))
			})
			compare(t, c, `SELECT extract(epoch FROM to_timestamp($1, $2))::numeric(30,6)::text`, zonedTexts, zonedTemplates, func(v, tm string) string {
				return showMicros(Dates([]byte(tm)).ToTimestamp(v, loc))
			})
		})
	}
	if _, err := c.Exec(context.Background(), "SET timezone = 'UTC'"); err != nil {
		t.Fatal(err)
	}
	t.Run("interval", func(t *testing.T) {
		compare(t, c, `SELECT to_char($1::interval, $2)`, intervals, dateTemplates, func(v, tm string) string {
			s, err := datetime.ParseInterval(v, datetime.AllFields)
			if err != nil {
				t.Fatal(err)
			}
			return show(Dates([]byte(tm)).AppendInterval(nil, s.Months, s.Days, s.Micros))
		})
	})
	t.Run("read", func(t *testing.T) { testRead(t, c) })
	t.Run("numbers", func(t *testing.T) { testNumbers(t, c) })
	t.Run("random", func(t *testing.T) { testRandom(t, c) })
}

func showMicros(v int64, err error) string {
	if err != nil {
		return show(nil, false, err)
	}
	var d numeric.Dec
	d.SetFinite(v, -6)
	return "=" + numeric.String(&d)
}

func showDate(v int64, err error) string {
	if err != nil {
		return show(nil, false, err)
	}
	return "=" + strconv.FormatInt(v, 10)
}

var (
	zonedTemplates = []string{"YYYY-MM-DD HH24:MI:SS", "YYYY-MM-DD HH24:MI:SS TZH", "YYYY-MM-DD HH24:MI:SS TZH:TZM", "YYYY-MM-DD HH24:MI:SSTZH", "YYYY-MM-DD HH24:MI:SS OF", "YYYY-MM-DD HH24:MI:SS TZ", "YYYY-MM-DD HH24:MI:SS TZM"}
	zonedTexts     = []string{"2024-03-10 02:30:00", "2024-11-03 01:30:00", "2024-07-01 12:00:00 +05", "2024-07-01 12:00:00 -05:30", "2024-07-01 12:00:00-05", "2024-07-01 12:00:00 +16", "2024-07-01 12:00:00 -3:99", "2024-07-01 12:00:00 30"}
	// readCases are texts for each template.
	readCases = map[string][]string{
		"YYYY-MM-DD":                {"2024-02-29", "2023-02-29", "2024-13-01", "2024-00-10", "2024-1-2", "20240102", "2024/01/02", " 2024 - 01 - 02", "2024-01", "2024", "", "x", "2024-x", "99-1-1", "-44-03-15", "2024-01-32", "2024-04-31", "2024-01-02 trailing", "99999-01-01", "9999999-01-01", "99999999999-01-01"},
		"YYYYMMDD":                  {"20240229", "2024029", "2024", "20241", "2024x1", "2024-01-02", "120240101"},
		"FMYYYYFMMMFMDD":            {"20240229", "2024 2 29"},
		"YYYYMMDDHH24MISS":          {"20240229131415", "2024022913141", "20240229251415", "20240229136115", "20240229131460"},
		"DD Mon YYYY":               {"05 Dec 2000", "5 dec 2000", "5 DECEMBER 2000", "05 Foo 2000", "05Dec2000", "05-Dec-2000"},
		"DD Month YYYY":             {"05 December 2000", "5 dec 2000", "05 decembre 2000", "5 MAY 99"},
		"Month DD, YYYY":            {"March 07, 1999", "march 7 1999", "March7,1999", "Smarch 1, 2000 x"},
		"Day DD Mon YYYY":           {"Monday 05 Dec 2000", "monday 5 Dec 2000", "Funday 5 Dec 2000"},
		"Dy DD Mon YYYY":            {"Mon 05 Dec 2000", "mo 5 Dec 2000"},
		"HH:MI:SS AM":               {"11:12:13 PM", "12:00:00 AM", "12:00:00 pm", "00:01:02 AM", "13:01:02 AM", "01:02:03", "01:02:03 XM", "1:2:3 a.m."},
		"HH12:MI A.M.":              {"11:12 P.M.", "11:12 p.m.", "11:12 PM"},
		"HH24:MI:SS.MS":             {"12:13:14.5", "12:13:14.25", "12:13:14.025", "12:13:14.1234", "24:00:00", "23:60:00", "12:13:14"},
		"HH24:MI:SS.US":             {"12:13:14.5", "12:13:14.123456", "12:13:14.1234567"},
		"HH24:MI:SS.FF3":            {"12:13:14.5", "12:13:14.123", "12:13:14.1235"},
		"HH24:MI:SS.FF6":            {"12:13:14.123456"},
		"FF1 FF2":                   {"1 12", "1 23"},
		"MSUS":                      {"123456789", "12345", "999999999"},
		"SSSS":                      {"0", "3661", "86399", "86400", "-1"},
		"YYYY DDD":                  {"2024 060", "2024 366", "2023 366", "2023 400", "2024 1", "0 5"},
		"DDD":                       {"60"},
		"YYYY WW":                   {"2024 10", "2024 1", "2024 53"},
		"IYYY IW":                   {"2020 53", "2024 1", "2019 53"},
		"IYYY-IW-ID":                {"2020-53-7", "2024-01-1", "2024-01-0", "2024-01-8", "2009-1-4"},
		"IYYY-IDDD":                 {"2020-371", "2024-001"},
		"IYYYIWID":                  {"2005527", "2024011"},
		"IYYY-MM":                   {"2024-01"},
		"YYYY-IW":                   {"2024-01"},
		"YYYY Q":                    {"2024 3", "2024 x"},
		"YYYY MM W":                 {"2024 02 3", "2024 02 5", "2023 02 5"},
		"J":                         {"2451187", "0", "1", "2147483647", "-5", "99999999999"},
		"CC":                        {"20", "21", "-5"},
		"CC YY":                     {"20 99", "21 00", "-2 34", "20 00"},
		"CC Y":                      {"20 5"},
		"CC YYYY":                   {"20 2015"},
		"YY BC":                     {"44 BC", "44 AD", "00 BC"},
		"CC YY BC":                  {"5 34 BC", "5 00 BC"},
		"CC BC":                     {"5 BC"},
		"YYYY BC":                   {"44 BC", "0044 bc", "1 BC", "-44 BC", "44 b.c."},
		"YYYY B.C.":                 {"44 B.C.", "44 BC"},
		"YYY":                       {"024", "999", "520", "519", "70", "1", "1234"},
		"YY":                        {"24", "69", "70", "99", "1", "123", "1995", "519"},
		"Y":                         {"4", "9", "12"},
		"Y,YYY":                     {"2,024", "2,24", "12,345", "2024", ",024", "2, 24", "2,0245"},
		"YYYYth":                    {"2024th", "2024thx"},
		"DDth Mon YYYY":             {"05th Dec 2000", "5th Dec 2000"},
		"RM":                        {"IV", "viii", "XII", "IX", "i", "q"},
		"DD RM YYYY":                {"01 XI 2000", "01 vi 2000"},
		"FXYYYY-MM-DD":              {"2024-02-29", "2024/02/29", "2024-2-29", " 2024-02-29", "2024- 02-29"},
		"FXDD Mon YYYY":             {"05 Dec 2000", "5 Dec 2000", "05  Dec 2000"},
		"YYYY-MM-DD FXHH24":         {"2024-01-02 03", "2024-01-02  03"},
		`YYYY"text"MM`:              {"2024text05", "2024abcd05", "2024 text05"},
		`"abc"YYYY`:                 {"abc2024", "  abc2024", "2024"},
		"YYYYxMM":                   {"2024x05", "2024 05", "2024  x05"},
		"YYYY  MM":                  {"2024 05", "2024  05", "2024   05", "202405"},
		"YYYY MM":                   {"2024   05", "2024-/05"},
		"  YYYY  MM":                {"2024 05", " 2024 05", "   2024   05"},
		"YYYY1MM":                   {"2024105", "20241005"},
		"MM/DD/YYYY HH24:MI:SS":     {"02/29/2024 13:14:15", "2/9/2024 3:4:5"},
		"YYYY-MM-DD\"T\"HH24:MI:SS": {"2024-02-29T13:14:15", "2024-02-29 13:14:15"},
		"YYYY YYYY":                 {"2024 2024", "2024 2025"},
		"MM MON":                    {"02 FEB", "02 MAR"},
		"HH24 HH12":                 {"13 01", "01 01"},
		"D DD":                      {"1 02"},
		"DAY D":                     {"Sunday 1", "Sunday 2"},
		"":                          {"x", ""},
		"xyz":                       {"abc", "2024"},
		"YYYY-MM-DD OF":             {"2024-01-02 +05"},
		"YYYY-MM-DD TZ":             {"2024-01-02 UTC"},
		"TMMonth YYYY":              {"March 2024", "mar 2024"},
		"YYYY年MM月DD日":               {"2024年05月06日", "2024-05-06"},
		"YYYYMM DD":                 {"2024é1 02", "202405 6"},
		"YYYY-MM-DD HH24:MI:SS":     {"294246-12-31 23:59:59", "4714-11-24 00:00:00 BC", "10000-01-01 00:00:00", "5874897-12-31 00:00:00", "5874898-01-01 00:00:00"},
	}
)

func testRead(t *testing.T, c *pgx.Conn) {
	var a, b []string
	for tm, list := range readCases {
		for _, v := range list {
			a, b = append(a, v), append(b, tm)
		}
	}
	pairs(t, c, `SELECT (to_date($1, $2) - '1970-01-01'::date)::text`, a, b, func(v, tm string) string {
		return showDate(Dates([]byte(tm)).ToDate(v))
	})
	pairs(t, c, `SELECT extract(epoch FROM to_timestamp($1, $2))::numeric(30,6)::text`, a, b, func(v, tm string) string {
		return showMicros(Dates([]byte(tm)).ToTimestamp(v, time.UTC))
	})
}

var (
	numberTemplates = []string{
		"", `""`, "9", "99", "999", "9999", "99999", "0", "000", "0999", "9099", "9990", "99990", "9.9", "99.99", "999.999", "9990.00", "0.0", "0000.000", "9990.90", "9.99999999", "99D99", "9G999", "9,999", "9G999G999D99", "999,999,999", "0,000", "0G000", "FM9", "FM999", "FM999.99", "FM999.00", "FM990.90", "FM0999", "FM9990.9990", "FM9,999", "FM0,000.00", "FM999D999", "FM0.99", "FM9.99", ".99", "FM.99", "FM.00", ".00", "9.", "FM9.", "FM999.", "0.", "D9",
		"S999", "999S", "S9.9", "9.9S", "99S99", "FMS999", "FM999S", "FM9.99S", "S0999", "SG999", "999SG", "9SG99", "MI999", "999MI", "9MI99", "PL999", "999PL", "FM999MI", "FM999PL", "FMMI999", "999.99MI", "999.99PL", "PLMI999", "999PR", "999.99PR", "FM999PR", "FM999.99PR", "0999PR", "9,999PR", "L999", "999L", "FML999", "C99", "B999", "B0", "999th", "999TH", "FM999th", "999.9th", "S999th", "9th", "RN", "rn", "FMRN", "FMrn", "RN9", "9RN", "SGRN", "PLRN", "MIRN", "Rn", "999V9", "99V999", "9V9", "FM9V99", "S9V9", "9.9EEEE", "9EEEE", "9.999EEEE", "99.9EEEE", "0.00EEEE", "9.9eeee", ".9EEEE", "EEEE",
		`"text"999`, `999"text"`, `9"x"9"y"9`, `\"99\"`, "9 9 9", "9-9-9", "x", "99é99", "fm999d99", "s999", "mi9", "9pr", "sp9", "SP9", "999 th", "9 999", "FM9 999.99", "$999", "FM$999,999.00", "%99", "999%",
		"9PR9", "9PR0", "SS9", "SMI9", "MIS9", "SPL9", "SSG9", "SPR9", "9PRS", "9PRMI", "PL9PR", "9..9", "9V9.9", "9.9V9", "EEEE9", "9EEEE9", "9EEEEEEEE", "FM9EEEE", "S9EEEE", "9VEEEE", "BEEEE", "9PREEEE", "9EEEE.", "9EEEE x", `9EEEE"x"`, "RNEEEE", "9.9.9", "9D.9", "0900", "90.09", "FM90.09", "FM09.9", "FM9909.9909", "9999999999999999999", "FM9999999999999999999.999999999999999999", "99999999999999999999.99999999999999999999",
	}
	numbers = []string{
		"0", "1", "-1", "5", "9", "10", "12", "-12", "99", "100", "101", "111", "112", "123", "-123", "485", "999", "1000", "1234", "-1234", "3999", "4000", "1234567", "-1234567", "2147483647", "-2147483648",
	}
	decimals = []string{
		"0.1", "-0.1", "0.01", "-0.01", "0.5", "-0.5", "0.0", "0.00", "1.5", "2.5", "-1.5", "12.45", "12.345", "-12.345", "148.5", "99.99", "999.999", "-999.999", "0.999", "0.004", "0.005", "0.0004859", "485.8", "3.14159265358979", "1e10", "123456789.123456789", "-123456789.987654321", "1e-10", "NaN", "Infinity", "-Infinity", "12345678901234567890.12345678901234567890", "100.10", "1e20",
	}
)

func testNumbers(t *testing.T, c *pgx.Conn) {
	number := func(tm string, f func(*NumberFormat) ([]byte, error)) string {
		n, err := Numbers([]byte(tm))
		if err != nil {
			if tm == "" {
				return "="
			}
			return show(nil, false, err)
		}
		b, err := f(n)
		return show(b, false, err)
	}
	dec := func(v string) *numeric.Dec {
		d := new(numeric.Dec)
		if err := numeric.Parse(d, v); err != nil {
			t.Fatal(err)
		}
		return d
	}
	compare(t, c, `SELECT to_char($1::int8, $2)`, append(numbers, "9223372036854775807", "-9223372036854775808"), numberTemplates, func(v, tm string) string {
		i, _ := strconv.ParseInt(v, 10, 64)
		return number(tm, func(f *NumberFormat) ([]byte, error) { return f.AppendInt8(nil, i) })
	})
	var noWrap []string // templates that multiply wrap around in Postgres
	for _, tm := range numberTemplates {
		if !strings.Contains(tm, "V") {
			noWrap = append(noWrap, tm)
		}
	}
	compare(t, c, `SELECT to_char($1::int4, $2)`, numbers, noWrap, func(v, tm string) string {
		i, _ := strconv.ParseInt(v, 10, 32)
		return number(tm, func(f *NumberFormat) ([]byte, error) { return f.AppendInt4(nil, int32(i)) })
	})
	compare(t, c, `SELECT to_char($1::numeric, $2)`, append(numbers, decimals...), numberTemplates, func(v, tm string) string {
		return number(tm, func(f *NumberFormat) ([]byte, error) { return f.AppendNumeric(nil, dec(v)) })
	})
	compare(t, c, `SELECT to_char($1::float8, $2)`, append(numbers, decimals...), numberTemplates, func(v, tm string) string {
		x, _ := strconv.ParseFloat(v, 64)
		return number(tm, func(f *NumberFormat) ([]byte, error) { return f.AppendFloat8(nil, x) })
	})
	compare(t, c, `SELECT to_char($1::float4, $2)`, append(numbers, decimals...), numberTemplates, func(v, tm string) string {
		x, _ := strconv.ParseFloat(v, 32)
		return number(tm, func(f *NumberFormat) ([]byte, error) { return f.AppendFloat4(nil, float32(x)) })
	})
	texts := []string{"", " ", "0", "1", "-1", "+1", "1-", "1+", "12", "123", "1234", "12345", "-12.34", "12.34-", "12.34", "1,234", "1,234.5", "-1,234.56", "$1,234", "<12>", "<12.5>", " 12", "12 ", "- 12", "1 2 3", "abc", "12abc", ".5", "-.5", "5.", "1e5", "12th", "th", "é12", "$ 12", "1.2.3", "--1", "1234567890", "0.001", "12 -", "+ 12.3", "text12", "12%"}
	compare(t, c, `SELECT to_number($1, $2)::text`, texts, numberTemplates, func(v, tm string) string {
		f, err := Numbers([]byte(tm))
		if err != nil {
			return show(nil, false, err)
		}
		var z numeric.Dec
		null, err := f.ToNumber(&z, v)
		if err != nil {
			return show(nil, false, err)
		}
		return show(numeric.Append(nil, &z), null, nil)
	})
}

// testRandom joins patterns by chance.
func testRandom(t *testing.T, c *pgx.Conn) {
	seed := seeds.First(t)
	r := rand.New(rand.NewPCG(seed, 1))
	pick := func(words []string) string {
		var b strings.Builder
		for range 1 + r.IntN(6) {
			b.WriteString(words[r.IntN(len(words))])
		}
		return b.String()
	}
	numberWords := strings.Fields(`9 9 9 9 0 0 . D , G S MI PL SG PR FM FM L V th TH RN B EEEE "x" - 99 999 00`)
	var a, b []string
	for range 3000 {
		v := fmt.Sprintf("%.*f", r.IntN(4), (r.Float64()-0.5)*float64([]int{1, 10, 1000, 100000}[r.IntN(4)]))
		a, b = append(a, v), append(b, pick(numberWords))
	}
	pairs(t, c, `SELECT to_char($1::numeric, $2)`, a, b, func(v, tm string) string {
		f, err := Numbers([]byte(tm))
		if err != nil {
			return show(nil, false, err)
		}
		var z numeric.Dec
		if err := numeric.Parse(&z, v); err != nil {
			t.Fatal(err)
		}
		out, err := f.AppendNumeric(nil, &z)
		return show(out, false, err)
	})
	pairs(t, c, `SELECT to_number($1, $2)::text`, a, b, func(v, tm string) string {
		f, err := Numbers([]byte(tm))
		if err != nil {
			return show(nil, false, err)
		}
		var z numeric.Dec
		null, err := f.ToNumber(&z, v)
		return show(numeric.Append(nil, &z), null, err)
	})
	dateWords := make([]string, 0, len(dateKeywords)+10)
	for _, k := range dateKeywords {
		dateWords = append(dateWords, k.name)
	}
	dateWords = append(dateWords, "FM", "FM", "th", "TH", " ", " ", "-", "-", ":", "x", `"y"`, "FX")
	a, b = a[:0], b[:0]
	for range 3000 {
		a, b = append(a, fmt.Sprint(r.Int64N(4e11)-2e11)), append(b, pick(dateWords))
	}
	pairs(t, c, `SELECT to_char('1970-01-01'::timestamp + $1::float8 * '1 second'::interval, $2)`, a, b, func(v, tm string) string {
		s, _ := strconv.ParseInt(v, 10, 64)
		return show(Dates([]byte(tm)).AppendTimestamp(nil, s*datetime.MicrosPerSecond))
	})
	// What to_char writes, cut short and changed a little, is read back.
	var texts []string
	for i := range a {
		s, _ := strconv.ParseInt(a[i], 10, 64)
		out, _, err := Dates([]byte(b[i])).AppendTimestamp(nil, s%4e9*datetime.MicrosPerSecond)
		if err != nil {
			out = nil
		}
		if len(out) > 0 && r.IntN(3) == 0 {
			out[r.IntN(len(out))] = " -:x19"[r.IntN(6)]
		}
		texts = append(texts, string(out))
	}
	pairs(t, c, `SELECT extract(epoch FROM to_timestamp($1, $2))::numeric(30,6)::text`, texts, b, func(v, tm string) string {
		return showMicros(Dates([]byte(tm)).ToTimestamp(v, time.UTC))
	})
}
