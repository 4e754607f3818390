'{"a": 1, "b": [1, 2, {"c": null}]}'::json
'{"bb":1,"a":2,"bb":3}'::jsonb
'[1, 2.50, 1e2, -0, "x\u00e9\n", true, null]'::jsonb
'  {"a" :1 } '::json
'{"a": 1'::json
'{"a" 1}'::json
'{a: 1}'::json
'[1,]'::json
'[1 2]'::json
'"abc'::json
'01'::json
'nul'::json
''::json
'"\u0000"'::jsonb
'"\ud83d\ude00"'::jsonb
'"\ud83d"'::jsonb
'"\x"'::jsonb
'{"a":{"b":[10,20]}}'::jsonb -> 'a'
'{"a":{"b":[10,20]}}'::jsonb -> 'a' -> 'b' -> 1
'{"a":{"b":[10,20]}}'::jsonb -> 'a' -> 'b' ->> -1
'{"a":"x"}'::jsonb ->> 'a'
'{"a":null}'::jsonb ->> 'a'
'{"a":null}'::jsonb -> 'a'
'{"a":1}'::jsonb -> 'b'
'{"a": {"b" : 1}}'::json -> 'a'
'[1,2,3]'::json -> 2
'[1,2,3]'::json ->> 5
'{"a":{"b":[10,20]}}'::jsonb #> '{a,b,0}'
'{"a":{"b":[10,20]}}'::jsonb #>> '{a,b,-1}'
'{"a":1}'::jsonb #>> '{a,b}'
'{"a":1,"b":2}'::jsonb @> '{"a":1}'::jsonb
'{"a":1}'::jsonb <@ '{"a":1,"b":2}'::jsonb
'[1,2,[1,3]]'::jsonb @> '[[1]]'
'[1,2]'::jsonb @> '1'
'{"a":1}'::jsonb ? 'a'
'["a"]'::jsonb ? 'a'
'{"a":1}'::jsonb || '{"b":2}'::jsonb
'[1]'::jsonb || '2'::jsonb
'{"a":1,"b":2}'::jsonb - 'a'
'[1,2,3]'::jsonb - 1
'1'::jsonb - 'a'
jsonb_typeof('[1]')
jsonb_typeof('"x"')
json_typeof('{}')
jsonb_array_length('[1,2]')
jsonb_array_length('{}')
jsonb_array_length('1')
to_json('a"b'::text)
to_json(1.50)
to_json(array[1,2])
to_jsonb('2024-01-01 10:00'::timestamp)
to_jsonb('2024-01-01 10:00+00'::timestamptz)
to_jsonb(true)
to_json('NaN'::float8)
json_build_object('a', 1, 'b', null, 'c', array['x'])
jsonb_build_object('a', 1, 'b', null)
json_build_object('a')
json_build_array(1, 'a', null)
jsonb_build_array()
jsonb_strip_nulls('{"a":null,"b":{"c":null}}')
'1.5'::jsonb::numeric
'"x"'::jsonb::int
'1.5'::jsonb::int
'true'::jsonb::bool
'[]'::jsonb::bool
'{"a":1}'::jsonb = '{"a":1.0}'::jsonb
'[1,2]'::jsonb < '[1,3]'::jsonb
'{}'::jsonb > '[]'::jsonb
'"a"'::jsonb < '1'::jsonb
'[]'::jsonb < 'null'::jsonb
'{"a":1}'::json = '{"a":1}'::json
'{"b":1}'::jsonb < '{"a":1,"c":2}'::jsonb
'{1,2,3}'::int[]
'{1,NULL,3}'::int[]
'{"a b",c,"",null,"null","x\"y"}'::text[]
'{{1,2},{3,4}}'::int[]
'{{1,2},{3}}'::int[]
'{}'::int[]
'{1,2'::int[]
'1,2'::int[]
'{1,}'::int[]
'{a}'::int[]
'{1,2}x'::int[]
'{ 1 , 2 }'::int[]
'{a{b}'::text[]
array[1,2,3]
array[1,2.5]
array['a','b']
array[[1,2],[3,4]]
array[[1,2],[3]]
array[1,'a']
array[1,null]
array[]
array[]::int[]
array[true,1]
(array[1,2,3])[2]
(array[1,2,3])[4]
(array[1,2,3])[null]
(array[1,2,3])[0]
array[1,2] || array[3]
array[1,2] || 3
0 || array[1,2]
array[1,2] || null
array[1,2] || '{3}'
array[1,2] || 2.5
array[[1,2]] || array[3,4]
array_length(array[1,2,3], 1)
array_length(array[1,2,3], 2)
array_length('{}'::int[], 1)
array_length('{1}', 1)
cardinality(array[[1,2],[3,4]])
array_ndims(array[[1,2],[3,4]])
array_dims(array[[1,2],[3,4]])
array_lower(array[1,2], 1)
array_upper(array[1,2], 1)
array_position(array['a','b','c'], 'b')
array_position(array[1,2,null], null)
array_position(array[1,2,1], 1, 2)
array_positions(array[1,2,1], 1)
array_remove(array[1,2,1], 1)
array_replace(array[1,2,1], 1, 9)
array_append(array[1], 2)
array_prepend(0, array[1])
array_cat(array[1], array[2])
trim_array(array[1,2,3], 1)
trim_array(array[1,2,3], 5)
array[1,2] @> array[1]
array[1] <@ array[1,2]
array[1,2] && array[2,3]
array[1,2] = array[1,2]
array[1,2] < array[1,3]
array[1,2] < array[1,2,0]
array[1,null] = array[1,null]
array[1,2] = array[1,2]::bigint[]
1 = any(array[1,2])
3 = any(array[1,2])
3 = any(array[1,null])
1 = any('{1,2}')
1 <> all(array[2,3])
1 = any(null::int[])
null = any(array[1])
null = any('{}'::int[])
1 > all('{}'::int[])
5 = any(array[1,2,3,4,5,6])
7 = any(array[1,2,3,4,5,6,null])
'a' = any(array['a','b'])
'abc' ~~ any(array['x%','a%'])
1 = any(1)
1.5 = any(array[1,2])
'a' = any(array[1])
array[1,2]::text
array[1,2]::text[]
array['1','2']::int[]
'{1,2}'::text::int[]
array['ab','cd']::varchar(1)[]
num_nonnulls(1, null, 2)
num_nulls(1, null, 2)
pg_typeof(1)
pg_typeof('a')
pg_typeof(null)
pg_typeof(1.5)
pg_typeof(array[1])
current_database()
current_schema()
current_schemas(false)
current_schemas(true)
gen_random_uuid() is not null
random() < 1
1 is null
array[1,'a']::text[]
array[[1],['b']]::text[]
array['1.5',2]::int[]
'abcdef'::varchar(3)
'abcdef'::char(3)
'{abc,def}'::varchar(2)[]
'123.456'::numeric(4,2)
'1 day 00:00:01.6'::interval(0)
