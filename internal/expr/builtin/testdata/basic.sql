-- integers
1 + 2
2147483647 + 1
2147483648 + 1
9223372036854775807 + 1
-2147483648 / -1
(-2147483648)::int4 / (-1)::int4
-9223372036854775808
32767::int2 + 1::int2
10 / 3
-10 / 3
-10 % 3
5 % 0
1 / 0
1::int8 / 0
2 ^ 10
2 ^ 0.5
7 & 3
7 | 8
7 # 2
~ 5
1 << 10
-16 >> 2
1 << 33
abs(-5)
@ -5
abs((-2147483648)::int4)
mod(10, 3)
gcd(12, 18)
lcm(4, 6)
- (-5)
+ 3
'5'::int4 + 1
1 + '2'
'1' + '2'
'a' + 1
1 + true
true + true
1 = 1.0
1::int2 = 1::int8
'abc'::int4
' 42 '::int4
'99999999999'::int4
'99999'::int2
'99999999999999999999'::int8
''::int4
'4 2'::int4
-- numerics
1.5 + 2.25
1.0 / 3
10 / 4.0
1 / 3.0
100000000000.0 / 3
1.0 / 30000000000000
0.1 * 0.1
123456789.123 * 987654321.987
5.5 % 2
-5.5 % 2
1.0 / 0
2.0 ^ 10
2.0 ^ -1
2.0 ^ 0.5
10.0 ^ 20
1.1 ^ 100
(-2.0) ^ 3
(-2.0) ^ 0.5
0.0 ^ -1
0 ^ 0
0.0 ^ 0.5
sqrt(2)
sqrt(2.0)
sqrt(0.0)
sqrt(1e20)
sqrt(123456789.123456789)
sqrt(-1.0)
sqrt(-1)
exp(1.0)
exp(10.5)
exp(-10.0)
exp(1)
ln(2.0)
ln(10)
ln(1.05)
ln(123456.789)
ln(0.0)
ln(-1.0)
log(100.0)
log(2.0, 64.0)
log(2, 8)
log(0.0)
power(2, 3)
power(2.5, 3)
power(2.0, 0.25)
round(2.5)
round(-2.5)
round(2.567, 2)
round(2.5::float8)
round(3.5::float8)
round(1234.567, -2)
round(15, -1)
trunc(2.567, 1)
trunc(-2.567)
trunc(1234.567, -2)
ceil(1.2)
ceil(-1.2)
ceiling(1.0)
floor(-1.2)
floor(1.7)
sign(-3.2)
sign(5)
div(7.5, 2)
mod(7.5, 2)
gcd(1.5, 0.5)
scale(1.500)
min_scale(1.500)
trim_scale(1.500)
width_bucket(5.35, 0.024, 10.06, 5)
width_bucket(5, 1, 10, 3)
width_bucket(11.0, 1, 10, 3)
width_bucket(1.0, 1, 1, 3)
factorial(20)
'NaN'::numeric
'Infinity'::numeric
'-inf'::numeric
'Infinity'::numeric - 'Infinity'::numeric
'Infinity'::numeric + 1
'NaN'::numeric = 'NaN'::numeric
'NaN'::numeric > 'Infinity'::numeric
1 / 'Infinity'::numeric
'1e5'::numeric
'1.50e1'::numeric
'1e-5'::numeric
'.5'::numeric
'5.'::numeric
'1e'::numeric
'abc'::numeric
'-0.00'::numeric
123.456::numeric(5,2)
999.999::numeric(5,2)
1234.5::numeric(5,2)
0.5::numeric(3,3)
1::numeric(3,3)
12345::numeric(3,-3)
'NaN'::numeric(5,2)
'Infinity'::numeric(5,2)
1.1::int4
1.5::int4
2.5::int4
-1.5::int4
1e20::int8
99999999999::int4
'NaN'::numeric::int4
1.005::float8
0.1::float8::numeric
0.1::float4::numeric
123456789.123456789::float4
1e40::numeric::float4
1e400::numeric::float8
12345678901234567890::numeric::float8
-- floats
0.1::float8 + 0.2::float8
1e308::float8 * 10
1e-308::float8 / 1e10
1::float8 / 0
'NaN'::float8 / 0
'Infinity'::float8
'-inf'::float8
'nan'::float8 = 'nan'::float8
'nan'::float8 > 'inf'::float8
1e15::float8
1e14::float8
123456789012345678::float8
0.0001::float8
0.00001::float8
1e20::float8
-0.0::float8
'-0'::float8
1.0::float4
16777217::float4
1e6::float4
999999::float4
0.1::float4
1e-5::float4
3.4e38::float4 * 10
'1e400'::float8
'1e-400'::float8
'1e39'::float4
'abc'::float8
'1e'::float8
''::float8
1.5::float8::int4
2.5::float8::int4
-2.5::float8::int4
1e10::float8::int4
'NaN'::float8::int4
9.3e18::float8::int8
1e300::float8::float4
1e-300::float8::float4
sin(1)
cos(1)
asin(2)
atan2(1, 2)
degrees(3.14159)
radians(180)
pi()
sign(-2.5::float8)
trunc(-2.7::float8)
floor(-2.7::float8)
log(100::float8)
ln(0::float8)
power(0::float8, -1)
power(-8::float8, 0.5)
exp(1000::float8)
exp(-1000::float8)
-- booleans
true and null
false and null
true or null
false or null
not null
'yes'::bool
'of'::bool
'o'::bool
'tr'::bool
'maybe'::bool
true::int4
2::bool
0::bool
true::text
true::varchar(2)
null is null
null is not null
(null::bool) is unknown
null is true
true is not false
1 is distinct from null
null is not distinct from null
1 is not distinct from 1
true > false
true = 'f'
1 and true
not 1
1 is true
-- comparison, case, coalesce
1 < 2
'a' < 'B'
'abc' = 'abc '
'abc'::char(5) = 'abc'
'a'::varchar = 'a'::text
1 = 'x'
1 = '1'
1 in (1, 2, null)
3 in (1, 2, null)
3 not in (1, 2)
3 not in (1, null)
null in (1, 2)
1 in (1.5, 2)
'a' in ('a', 'b')
1 in ('a')
1 between 0 and 2
1 not between 0 and 2
2 between symmetric 3 and 1
case when true then 1 else 2 end
case when false then 1 end
case 1 when 1 then 'one' when 2 then 'two' end
case when true then 1 else 2.5 end
case when true then 1 else 'a' end
case when true then 1 else true end
case when 1 then 2 end
case when true then 1 else 1/0 end
coalesce(null, 1, 2)
coalesce(null, null)
coalesce(1, 1/0)
coalesce(1, 'a')
coalesce(null, 'a')
nullif(1, 1)
nullif(1, 2)
nullif('a', 'b')
greatest(1, 2.5, null)
least(1, 2.5)
greatest('a', 'b')
least(null::int, null)
(1, 2) < (1, 3)
(1, null) < (2, 1)
(1, null) < (1, 1)
(1, 2) = (1, 2)
(1, 2) <> (1, null)
(2, 2) >= (2, 2)
row(1, 2) > row(1, 1)
-- casts
'abc'::varchar(2)
'abc'::char(5)
'abc'::char(2)
'abc'::char
'abc'::bpchar
length('ab'::char(5))
octet_length('ab'::char(5))
'ab'::char(5) || 'x'
'ab'::char(5)::text || 'x'
'ab'::char(5) like 'ab'
'ab'::char(5) like 'ab%'
1::text
1.50::text
1::varchar(1)
123::varchar(2)
123::char(5)
'a'::"char"
65::"char"
'abc'::name
'x'::uuid
'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
'{A0EEBC999C0B4EF8BB6D6BB9BD380A11}'::uuid
'a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11'::uuid
1::uuid
true::date
'2020-01-01'::date::int
1::date
'int4'::regtype
'character varying'::regtype
'nosuch'::regtype
23::regtype
1::oid
'-1'::oid
'x'::oid
4294967295::oid
4294967296::oid
'1'::nosuch
1::varchar(0)
1::numeric(0)
1::numeric(2,2000)
1::float(10)
1::text(5)
'a'::int4[]
int4(5.7)
float8('1.5')
text(5)
date('2020-01-01'::timestamp)
