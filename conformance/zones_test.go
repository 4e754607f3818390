package conformance

import "testing"

// TestZones sets and reads time zones in every form, beside PostgreSQL.
func TestZones(t *testing.T) {
	t.Parallel()
	p := newTwins(t, variant{store: "mem"}.open(t)).session(t)
	for _, zone := range []string{
		"'utc'", "'GMT'", "'zulu'", "'z'", "'local'", "''", "'PST'", "'america/new_york'", "'Europe/Berlin'", "'est5edt'", "'America/Nowhere'",
		"6", "-7.5", "'+6'", "'123'", "168", "-167.99", "'nan'", "'inf'", "' 5'", "'5 '",
		"'FOO3'", "'FOO-3'", "'FOO3BAR'", "'FOO3BAR,M3.2.0,M11.1.0'", "'FOO3BAR2,J60,J300'", "'FOO3BAR2,60/1,300/3:30'", "'FOO3,M3.2.0,M11.1.0'", "'FOO3BAR,x'", "'AB3CD'", "'FOO3-'", "'FOO3BAR,'", "'<+0330>-3:30'", "'<x'", "'A200'",
		"interval '3:30'", "interval '-03:30' hour to minute", "INTERVAL '+00:00' HOUR TO MINUTE", "interval '5' hour", "interval '1 day'", "interval '1 month'", "interval '200 hours'", "interval '1:2:3.9'", "interval(0) '1:30'",
		"'interval ''2:00'''", "'interval 2'", "DEFAULT", "LOCAL",
	} {
		p.same(t, "SET TIME ZONE DEFAULT")
		p.same(t, "SET TIME ZONE "+zone)
		p.same(t, "SHOW timezone")
		p.same(t, "SELECT '2020-01-01 00:00Z'::timestamptz, '2020-07-01 00:00Z'::timestamptz, '2020-07-01 12:00'::timestamptz, to_char('2020-07-01 00:00Z'::timestamptz, 'TZ OF')")
	}
	p.same(t, "SET TIME ZONE 'UTC'")
	for _, zone := range []string{"123", "FOO3", "+0530", "-05:30", "5", "PST", "pst8pdt", "UTC+3", "EST5EDT,M3.2.0,M11.1.0", "x", "", "<a>4", "200", "Europe/berlin"} {
		p.same(t, "SELECT '2020-07-01 00:00Z'::timestamptz AT TIME ZONE '"+zone+"', '2020-07-01 00:00'::timestamp AT TIME ZONE '"+zone+"'")
	}
	for _, text := range []string{
		"2024-02-29 +00", "+00 2024-02-29", "2024-02-29+05", "2024-02-29 -05:30", "2024-02-29 UTC", "2024-02-29 +17", "2024-1", "2024-01", "0000-01-01", "2024-01-01T00:00:00Z",
		"2024-02-29 10:00", "10:00 2024-02-29", "2024-01-01 10:00 +03", "10:00 +03", "+03 10:00", "1000-05", "10:00-2024", "12-12 10:00", "Jan-1-2024 10:00",
	} {
		for _, typ := range []string{"date", "time", "timestamp", "timestamptz"} {
			p.same(t, "SELECT '"+text+"'::"+typ)
		}
	}
}

// TestIntervalFields reads intervals whose type names their fields, beside PostgreSQL.
func TestIntervalFields(t *testing.T) {
	t.Parallel()
	p := newTwins(t, variant{store: "mem"}.open(t)).session(t)
	for _, fields := range []string{"year", "month", "day", "hour", "minute", "second", "second(2)", "year to month", "day to hour", "day to minute", "day to second", "day to second(1)", "hour to minute", "hour to second", "minute to second", "minute to second(3)"} {
		for _, text := range []string{"1", "-7.5", "1-2", "3:30", "3:30:15.987", "4 3:30", "1 year 2 mons 3 days 4:05:06.789", "-1 year -2 mons -3 days -4:05:06.789", "P1Y2M3DT4H5M6.7S", "2 hours", "x"} {
			p.same(t, "SELECT interval '"+text+"' "+fields)
			p.same(t, "SELECT '"+text+"'::text::interval "+fields)
			p.same(t, "SELECT pg_typeof('"+text+"'::interval "+fields+"), ARRAY['"+text+"']::interval "+fields+"[]")
		}
	}
	p.same(t, "SELECT timestamp '2024-05-05' + interval '1' day, timestamp '2024-05-05' - interval '3' hour * 2")
}
