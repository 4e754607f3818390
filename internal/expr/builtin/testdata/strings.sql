length('héllo')
char_length('héllo')
octet_length('héllo')
bit_length('abc')
lower('ABC')
upper('abc')
initcap('hello wORLD-foo_bar 1abc')
substring('hello', 2)
substring('hello', 2, 3)
substring('hello', -1, 3)
substring('hello', 0)
substring('hello', 2, -1)
substring('héllo', 2, 1)
substring('foobar', 'o(.)b')
substring('foobar', 'o.b')
substring('foobar', 'x')
substr('hello', 2, 3)
substr('hello', 2147483647, 2147483647)
position('l' in 'hello')
position('' in 'hello')
strpos('héllo', 'l')
left('hello', 2)
left('hello', -2)
right('hello', 2)
right('hello', -2)
right('hello', 0)
lpad('hi', 5)
lpad('hi', 5, 'xy')
lpad('hello', 2)
rpad('hi', 5, 'xy')
rpad('hi', 5, '')
btrim('xxaxx', 'x')
lltrim('xyxa', 'xy')
rtrim('axyx', 'xy')
replace('hello', 'l', 'LL')
replace('hello', '', 'x')
translate('hello', 'el', 'ip')
translate('hello', 'el', 'i')
repeat('ab', 3)
repeat('ab', -1)
reverse('héllo')
split_part('a,b,c', ',', 2)
split_part('a,b,c', ',', -1)
split_part('a,b,c', ',', 4)
split_part('a,b,c', ',', 0)
split_part('abc', '', 1)
concat('a', 1, null, true, 2.50)
concat_ws(',', 'a', null, 'b', 3)
concat_ws(null, 'a')
format('%s %I %L', 'a', 'b c', 'd''e')
format('%2$s %1$s', 'a', 'b')
format('%-5s|%5s|', 'a', 'b')
format('%*s|', 5, 'x')
format('%s')
format('%I', null::text)
format('%L', null::text)
format('%%')
format('%x', 1)
format('%')
ascii('é')
ascii('')
chr(233)
chr(0)
chr(-1)
md5('abc')
sha256('abc'::bytea)
sha512('abc'::bytea)
encode('abc'::bytea, 'hex')
encode('abc'::bytea, 'base64')
encode('\x00ff5c'::bytea, 'escape')
encode('abc'::bytea, 'x')
decode('616263', 'hex')
decode('YWJj', 'base64')
decode('YWJ', 'base64')
decode('61626', 'hex')
decode('zz', 'hex')
decode('a\\b\001', 'escape')
to_hex(255)
to_hex(-1)
to_hex(-1::int8)
starts_with('hello', 'he')
'hello' ^@ 'he'
quote_ident('abc')
quote_ident('a b')
quote_ident('select')
quote_ident('Abc')
quote_literal('a''b')
quote_literal('a\b')
quote_literal(5)
quote_nullable(null)
quote_nullable('x')
overlay('hello', 'XX', 2)
overlay('hello', 'XX', 2, 3)
overlay('hello', 'XX', 0)
string_to_array('a,b,c', ',')
string_to_array('a,b,c', null)
string_to_array('', ',')
string_to_array('a,b,', ',')
string_to_array('a,b', ',', 'a')
string_to_array('abc', '')
array_to_string(array[1,2,null,3], ',')
array_to_string(array[1,2,null,3], ',', '*')
array_to_string(array[true,false], ',')
'a' || 'b'
'a' || 1
1 || 'a'
1 || 2
'a' || null
'a' || true
'\x01'::bytea || '\x02'::bytea
'a' || '2020-01-01'::date
null || 'a'
-- like
'abc' like 'a%'
'abc' like '%c'
'abc' like '%b%'
'abc' like 'a_c'
'abc' like 'abc'
'abc' like ''
'' like '%'
'' like ''
'a%c' like 'a\%c'
'abc' like 'a\%c'
'abc' not like 'x%'
'ABC' ilike 'a%'
'a_c' like 'a#_c' escape '#'
'abc' like 'a#_c' escape '#'
'abc' like 'a%' escape 'xx'
'abc' like 'abc\'
'abc' like 'ab\'
'aaa' like '%a%a%a%a%'
'abcbcd' like '%bcd'
'hello' like '%l_o'
null like 'a'
'é' like '_'
'abc'::bytea like 'a%'::bytea
-- regex
'abc' ~ 'b'
'abc' ~ '^b'
'abc' ~* 'B'
'abc' !~ 'x'
'abc' !~* 'B'
'abc' ~ 'a.c'
E'a\nc' ~ 'a.c'
E'a\nc' ~ '^c'
'foobar' ~ '(foo|bar)+'
'abc' ~ '[[:alpha:]]+'
'abc' ~ '\d'
'a1' ~ '\d'
'a b' ~ 'a\sb'
'foo bar' ~ '\mbar\M'
'foobar' ~ '\mbar'
'foo' ~ '\yfoo\y'
'abc' ~ '('
'abc' ~ '['
'abc' ~ '*'
'abc' ~ 'a**'
'abc' ~ 'a{2,1}'
'abc' ~ 'a{1000}'
'aaa' ~ '^a{3}$'
'abc' ~ '(?i)ABC'
'a{b' ~ 'a\{b'
'a]b' ~ '[]]'
'a-b' ~ '[a\-]'
'abc' similar to 'a%'
'abc' similar to 'abc|def'
'abc' similar to '(a|b)%'
'abc' similar to 'b'
'a.c' similar to 'a.c'
'abc' similar to 'a.c'
'abc' not similar to 'x%'
'a%c' similar to 'a#%c' escape '#'
regexp_replace('foobarbaz', 'b..', 'X')
regexp_replace('foobarbaz', 'b..', 'X', 'g')
regexp_replace('foobarbaz', 'b(..)', 'X\1Y', 'g')
regexp_replace('foobarbaz', 'B(..)', 'X\1Y', 'gi')
regexp_replace('abc', 'b', '\&\&')
regexp_replace('abc', 'b', '\\')
regexp_replace('abc', '', 'x', 'g')
regexp_replace('abc', 'b', 'x', 'z')
regexp_match('foobarbequebaz', '(bar)(beque)')
regexp_match('foobarbequebaz', 'bar.*que')
regexp_match('abc', 'x')
regexp_match('abc', '(x)?b')
regexp_match('abc', 'b', 'g')
regexp_match('xabcx', 'a|ab|abc')
regexp_like('abc', 'B', 'i')
regexp_count('abcabc', 'b')
regexp_count('abcabc', 'b', 3)
regexp_substr('abcabc', 'b.')
regexp_split_to_array('a,b, c', ',\s*')
regexp_split_to_array('abc', '')
regexp_split_to_array('', ',')
-- bytea
'\xDEADBEEF'::bytea
'\xabc'::bytea
'\xzz'::bytea
'a\\b\000c'::bytea
'a\b'::bytea
length('\x0102'::bytea)
substring('\x010203'::bytea, 2, 1)
get_byte('\x010203'::bytea, 1)
get_byte('\x010203'::bytea, 3)
set_byte('\x010203'::bytea, 1, 255)
convert_from('\x68c3a9'::bytea, 'UTF8')
convert_from('\xff'::bytea, 'UTF8')
convert_to('hé', 'UTF8')
-- errors
foo(1)
foo(1, 'a')
length(1)
lower(1)
substr('a')
nosuch()
1 + 'a'::text
'a'::text + 1
'a' like 1
array[1] = 1
'a'::text = 1
'a' ~ 1
- 'a'
- '1'
~ '1'
upper(null)
round('1.5')
abs('-1')
greatest(1, 'x')
'x'::text || 1.5
1 || 1.5
true || 'a'
regexp_instr('abcabc', 'b')
regexp_instr('abcabc', 'b', 3)
regexp_instr('abcabc', 'b(c)', 1, 2, 1, '', 1)
regexp_instr('abc', 'b', 0)
regexp_substr('abcabc', 'b(.)', 1, 2, 'i', 1)
regexp_substr('abcabc', 'x')
regexp_replace('abcabc', 'b', 'X', 3)
regexp_replace('abcabc', 'b', 'X', 1, 0)
regexp_replace('abcabc', 'B', 'X', 1, 2, 'i')
regexp_match('abcd', '(a*?)(b|bc)(c?d)')
substring('foobar', '%#"o_b#"%', '#')
'foo bar' ~ '\m\w+\M$'
regexp_replace('foo bar', '\m', '-', 'g')
'aXbX' ~ '(?i)x$'
