'2024-01-31'::date
'January 8, 1999'::date
'1999-01-08'::date
'1/8/1999'::date
'1/18/1999'::date
'18/1/1999'::date
'01/02/03'::date
'1999-Jan-08'::date
'Jan-08-1999'::date
'08-Jan-1999'::date
'99-Jan-08'::date
'08-Jan-99'::date
'Jan-08-99'::date
'19990108'::date
'990108'::date
'1999.008'::date
'J2451187'::date
'January 8, 99 BC'::date
'0001-01-01 BC'::date
'4714-11-24 BC'::date
'4714-11-23 BC'::date
'5874897-12-31'::date
'5874898-01-01'::date
'2024-02-30'::date
'2023-02-29'::date
'2024-13-01'::date
'2024-00-01'::date
'0000-01-01'::date
'infinity'::date
'-infinity'::date
'epoch'::date
'x'::date
''::date
'2024-01'::date
'2024'::date
'20240101T101112'::timestamp
'2024-01-01 10:11:12'::timestamp
'2024-01-01T10:11:12.123456789'::timestamp
'2024-01-01 10:11'::timestamp
'2024-01-01 24:00:00'::timestamp
'2024-01-01 24:00:01'::timestamp
'2024-01-01 10:60'::timestamp
'2024-01-01 10:11:60'::timestamp
'2024-01-01 25:00'::timestamp
'2024-01-01 10:11:12 PM'::timestamp
'2024-01-01 13:11:12 PM'::timestamp
'Mon Jan 01 10:11:12 2024'::timestamp
'2024-01-01 10:11:12+05'::timestamp
'infinity'::timestamp
'epoch'::timestamp
'294276-12-31'::date::text
'2024-01-01 10:11:12+05'::timestamptz
'2024-01-01 10:11:12 +05:30'::timestamptz
'2024-01-01 10:11:12-0800'::timestamptz
'2024-01-01 10:11:12Z'::timestamptz
'2024-01-01 10:11:12 PST'::timestamptz
'2024-01-01 10:11:12 Europe/Berlin'::timestamptz
'2024-07-01 10:11:12 America/New_York'::timestamptz
'2024-01-01 10:11:12 Nowhere/City'::timestamptz
'2024-01-01 10:11:12 xyz'::timestamptz
'2024-01-01 10:11:12+25'::timestamptz
'2024-01-01'::timestamptz
'2024-03-10 02:30:00'::timestamptz
'2024-11-03 01:30:00'::timestamptz
'2024-07-04 12:00:00'::timestamptz
'0044-03-15 BC'::timestamptz
'1883-11-18 12:00:00'::timestamptz
'infinity'::timestamptz
'4714-11-24 00:00:00+00 BC'::timestamptz
'4714-11-23 00:00:00+00 BC'::timestamptz
'10:11:12'::time
'10:11'::time
'101112'::time
'10:11:12.5'::time
'04:05 PM'::time
'24:00'::time
'24:00:01'::time
'25:00'::time
'allballs'::time
'x'::time
'10:11:12.123456'::time(3)
'2024-01-01 10:11:12.987654'::timestamp(2)
'2024-01-01 10:11:12.5'::timestamp(0)
'1 day'::interval
'1 year 2 mons 3 days 04:05:06.789'::interval
'-1 day +02:03'::interval
'1 day ago'::interval
'@ 1 minute'::interval
'1.5 days'::interval
'1.5 months'::interval
'1.5 years'::interval
'0.3 years'::interval
'1.7 weeks'::interval
'P1Y2M3DT4H5M6S'::interval
'P1W'::interval
'PT0.5S'::interval
'P0001-02-03T04:05:06'::interval
'1-2'::interval
'-1-2'::interval
'3 4:05:06'::interval
'1-2 3 4:05:06'::interval
'4:05'::interval
'4:05.5'::interval
'100:05:06'::interval
'-04:05:06'::interval
'5'::interval
'1h 2m 3s'::interval
'1d'::interval
'2 centuries'::interval
'1 decade'::interval
'1 millennium'::interval
'500 ms'::interval
'x'::interval
''::interval
'1 day 1 day'::interval
'1 foo'::interval
'999999999999 years'::interval
'1 day 2 hours'::interval(0)
'00:00:01.55'::interval(1)
'0'::interval
'-1 mon +1 day'::interval
'1 mon -1 day'::interval
'-1 mons -2 days -00:00:01'::interval
'1 day'::interval = '24 hours'::interval
'1 month'::interval = '30 days'::interval
'1 month'::interval > '29 days'::interval
'2024-01-31'::date + 1
1 + '2024-01-31'::date
'2024-01-31'::date - 31
'2024-03-01'::date - '2024-02-01'::date
'2024-01-31'::date + '1 month'::interval
'2024-01-31'::date - '1 month'::interval
'2024-01-31'::date + '10:00'::time
'2024-01-31 10:00'::timestamp + '1 month 1 day 1 hour'::interval
'2024-03-31 10:00'::timestamp - '1 month'::interval
'2024-03-09 12:00'::timestamptz + '1 day'::interval
'2024-03-09 12:00'::timestamptz + '24 hours'::interval
'2024-11-02 12:00'::timestamptz + '1 day'::interval
'2024-03-01'::timestamp - '2024-02-01 12:00'::timestamp
'2024-03-11'::timestamptz - '2024-03-10'::timestamptz
'infinity'::timestamp + '1 day'::interval
'infinity'::timestamp - '2024-01-01'::timestamp
'infinity'::date - '2024-01-01'::date
'10:00'::time + '15 hours'::interval
'10:00'::time - '11:00'::time
'10:00'::time - '11 hours'::interval
'1 day'::interval + '2 hours'::interval
'1 day'::interval - '2 hours'::interval
'1 day'::interval * 1.5
2 * '1 month 3 days'::interval
'1 month'::interval / 2
'1 year'::interval / 7
'1 day'::interval / 0
'1 month 15 days'::interval * 0.3
- '1 day'::interval
'2024-01-01'::date < '2024-01-01 10:00'::timestamp
'2024-01-01'::date = '2024-01-01 00:00'::timestamptz
'2024-01-01 05:00'::timestamp = '2024-01-01 10:00+00'::timestamptz
'2024-01-01'::date = '2024-01-01'
'2024-01-01'::date + '1'
'2024-01-01'::date - '2023-01-01'
'2024-01-01'::date::timestamp
'2024-01-01'::date::timestamptz
'2024-01-01 10:11:12'::timestamp::date
'2024-01-01 10:11:12'::timestamp::time
'2024-01-01 10:11:12'::timestamp::timestamptz
'2024-01-01 10:11:12+00'::timestamptz::timestamp
'2024-01-01 10:11:12+00'::timestamptz::date
'2024-01-01 02:11:12+00'::timestamptz::date
'2024-01-01 10:11:12+00'::timestamptz::time
'infinity'::timestamp::time
'10:11'::time::interval
'25:11'::interval::time
'-1:00'::interval::time
'2024-01-01'::timestamp::text
extract(year from '2024-05-06 07:08:09.5'::timestamp)
extract(month from '2024-05-06'::date)
extract(day from '2024-05-06'::date)
extract(hour from '2024-05-06 07:08:09.5'::timestamp)
extract(minute from '2024-05-06 07:08:09.5'::timestamp)
extract(second from '2024-05-06 07:08:09.5'::timestamp)
extract(milliseconds from '2024-05-06 07:08:09.5'::timestamp)
extract(microseconds from '2024-05-06 07:08:09.5'::timestamp)
extract(epoch from '2024-05-06 07:08:09.5'::timestamp)
extract(epoch from '2024-05-06 07:08:09.5'::timestamptz)
extract(epoch from '2024-05-06'::date)
extract(dow from '2024-05-05'::date)
extract(isodow from '2024-05-05'::date)
extract(doy from '2024-05-06'::date)
extract(week from '2024-12-30'::date)
extract(isoyear from '2024-12-30'::date)
extract(quarter from '2024-05-06'::date)
extract(decade from '2024-05-06'::date)
extract(century from '2024-05-06'::date)
extract(century from '2000-05-06'::date)
extract(millennium from '2024-05-06'::date)
extract(year from '0044-03-15 BC'::date)
extract(century from '0044-03-15 BC'::date)
extract(decade from '0044-03-15 BC'::date)
extract(julian from '2024-05-06'::date)
extract(julian from '2024-05-06 12:00'::timestamp)
extract(timezone from '2024-05-06'::timestamptz)
extract(timezone_hour from '2024-05-06'::timestamptz)
extract(hour from '2024-05-06'::date)
extract(foo from '2024-05-06'::date)
extract(foo from '2024-05-06'::timestamp)
extract(timezone from '2024-05-06'::timestamp)
extract(year from 'infinity'::timestamp)
extract(day from 'infinity'::timestamp)
extract(year from 'infinity'::date)
extract(hour from '10:11:12'::time)
extract(epoch from '10:11:12.5'::time)
extract(day from '10:11:12'::time)
extract(epoch from '1 year 2 mons 3 days 04:05:06'::interval)
extract(hour from '25:00'::interval)
extract(year from '30 months'::interval)
extract(month from '30 months'::interval)
extract(quarter from '30 months'::interval)
extract(week from '30 months'::interval)
date_part('year', '2024-05-06'::date)
date_part('epoch', '2024-05-06 07:08:09.5'::timestamp)
date_part('hour', '2024-05-06'::date)
date_part('dow', '2024-05-05'::timestamp)
date_part('seconds', '1 day 00:00:05.25'::interval)
date_trunc('year', '2024-05-06 07:08:09.5'::timestamp)
date_trunc('quarter', '2024-05-06 07:08:09.5'::timestamp)
date_trunc('month', '2024-05-06 07:08:09.5'::timestamp)
date_trunc('week', '2024-05-05 07:08:09.5'::timestamp)
date_trunc('day', '2024-05-06 07:08:09.5'::timestamp)
date_trunc('hour', '2024-05-06 07:08:09.5'::timestamp)
date_trunc('minute', '2024-05-06 07:08:09.5'::timestamp)
date_trunc('second', '2024-05-06 07:08:09.567'::timestamp)
date_trunc('milliseconds', '2024-05-06 07:08:09.567891'::timestamp)
date_trunc('century', '2024-05-06'::timestamp)
date_trunc('decade', '2024-05-06'::timestamp)
date_trunc('millennium', '2024-05-06'::timestamp)
date_trunc('day', '2024-05-06 02:00+00'::timestamptz)
date_trunc('day', '2024-05-06 02:00+00'::timestamptz, 'UTC')
date_trunc('hour', '2024-11-03 05:30+00'::timestamptz)
date_trunc('hour', '2024-11-03 06:30+00'::timestamptz)
date_trunc('month', '2024-05-06'::date)
date_trunc('foo', '2024-05-06'::timestamp)
date_trunc('dow', '2024-05-06'::timestamp)
date_trunc('day', '1 mon 3 days 04:05:06'::interval)
date_trunc('year', '30 months'::interval)
date_trunc('week', '30 months'::interval)
date_trunc('day', 'infinity'::timestamp)
date_bin('15 minutes', '2024-05-06 07:08:09'::timestamp, '2001-01-01'::timestamp)
date_bin('1 month', '2024-05-06 07:08:09'::timestamp, '2001-01-01'::timestamp)
age('2024-05-06'::timestamp, '2020-07-08'::timestamp)
age('2020-07-08'::timestamp, '2024-05-06'::timestamp)
age('2024-03-01'::timestamp, '2024-01-31 12:00'::timestamp)
age('2024-03-31'::timestamp, '2024-02-29'::timestamp)
age('2024-05-06'::timestamptz, '2020-07-08'::timestamptz)
'2024-05-06 07:08:09'::timestamp at time zone 'Europe/Berlin'
'2024-05-06 07:08:09+00'::timestamptz at time zone 'Asia/Tokyo'
'2024-05-06 07:08:09+00'::timestamptz at time zone '+05:30'
'2024-05-06 07:08:09+00'::timestamptz at time zone 'UTC+3'
'2024-05-06 07:08:09+00'::timestamptz at time zone 'est'
'2024-05-06 07:08:09+00'::timestamptz at time zone 'nope'
'2024-05-06 07:08:09+00'::timestamptz at time zone interval '3 hours'
justify_days('35 days'::interval)
justify_hours('27 hours'::interval)
justify_interval('1 mon -1 hour'::interval)
isfinite('infinity'::timestamp)
isfinite('2024-01-01'::date)
make_date(2024, 2, 29)
make_date(2023, 2, 29)
make_date(-44, 3, 15)
make_time(8, 15, 23.5)
make_time(25, 0, 0)
make_timestamp(2024, 2, 29, 10, 11, 12.5)
make_interval(1, 2, 3, 4, 5, 6, 7.5)
to_timestamp(1284352323)
to_timestamp(1284352323.5)
to_timestamp('NaN'::float8)
