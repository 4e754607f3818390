'{"a":1,"b":2}'::jsonb ?| array['x','b']
'{"a":1,"b":2}'::jsonb ?| array['x',null]
'["a","b"]'::jsonb ?& array['a','b']
'["a","b"]'::jsonb ?& array['a','c']
'"a"'::jsonb ?& array['a']
'{}'::jsonb ?& '{}'::text[]
'{"a":1,"b":2,"c":3}'::jsonb - array['a','c']
'["a","b",1]'::jsonb - array['a',null]
'1'::jsonb - array['a']
'{"a":1}'::jsonb - '{{a,b}}'::text[]
'{"a":{"b":1,"c":2}}'::jsonb #- '{a,b}'
'{"a":[1,2,3]}'::jsonb #- '{a,-1}'
'{"a":[1,2,3]}'::jsonb #- '{a,7}'
'{"a":[1,2,3]}'::jsonb #- '{a,x}'
'[1,2]'::jsonb #- '{}'
'1'::jsonb #- '{a}'
'{}'::jsonb #- '{a}'
'{"a":1}'::jsonb #- array[null]::text[]
jsonb_set('{"a":1,"b":{"c":2}}', '{b,c}', '[5]')
jsonb_set('{"a":1}', '{z}', '"new"')
jsonb_set('{"a":1}', '{z}', '"new"', false)
jsonb_set('{"a":1}', '{z,y}', '"new"')
jsonb_set('[1,2,3]', '{1}', '"x"')
jsonb_set('[1,2,3]', '{-1}', '"x"')
jsonb_set('[1,2,3]', '{10}', '"x"')
jsonb_set('[1,2,3]', '{-10}', '"x"')
jsonb_set('[1,2,3]', '{10}', '"x"', false)
jsonb_set('[1,2,3]', '{-10}', '"x"', false)
jsonb_set('[]', '{0}', '1')
jsonb_set('[]', '{-3}', '1')
jsonb_set('[]', '{0}', '1', false)
jsonb_set('{}', '{a}', '1')
jsonb_set('[{"a":1},{"a":2}]', '{1,a}', '{"x":null}')
jsonb_set('[1]', '{a}', '1')
jsonb_set('[1]', '{ 0}', '2')
jsonb_set('[1]', '{99999999999}', '2')
jsonb_set('1', '{a}', '1')
jsonb_set('{"a":1}', '{}', '1')
jsonb_set('{"a":1}', array['a',null], '1')
jsonb_set('{"a":{}}', array['a',null], '1')
jsonb_set('{"a":1}', '{a}', null)
jsonb_set('{"a":5}', '{a,b}', '1')
jsonb_insert('{"a":[0,1,2]}', '{a,1}', '"new"')
jsonb_insert('{"a":[0,1,2]}', '{a,1}', '"new"', true)
jsonb_insert('{"a":[0,1,2]}', '{a,-1}', '"new"')
jsonb_insert('{"a":[0,1,2]}', '{a,-1}', '"new"', true)
jsonb_insert('{"a":[0,1,2]}', '{a,9}', '"new"')
jsonb_insert('{"a":[0,1,2]}', '{a,-9}', '"new"', true)
jsonb_insert('{"a":1}', '{b}', '2')
jsonb_insert('{"a":1}', '{a}', '2')
jsonb_insert('[]', '{0}', '2')
jsonb_insert('1', '{0}', '2')
jsonb_pretty('{"a":[1,{"b":null}],"c":"x","d":{},"e":[]}')
jsonb_pretty('1')
array_to_json(array[1,2,3])
array_to_json(array['a',null,'"'])
array_to_json(array[[1,2],[3,4]])
array_to_json(array[[1,2],[3,4]], true)
array_to_json(array[1,2], true)
array_to_json('{}'::int[], true)
jsonb_extract_path('{"a":{"b":[10,20]}}', 'a', 'b', '1')
jsonb_extract_path_text('{"a":{"b":"x"}}', 'a', 'b')
json_extract_path('{"a": {"b" : 1}}', 'a')
json_extract_path_text('{"a":1}', 'z')
json_object('{a,1,b,2}'::text[])
json_object('{{a,1},{b,null}}'::text[])
json_object('{a,1,b}'::text[])
json_object('{{a,1,2}}'::text[])
json_object('{}'::text[])
json_object('{null,1}'::text[])
jsonb_object('{b,a}'::text[], '{1,"x y"}'::text[])
jsonb_object('{a}'::text[], '{1,2}'::text[])
jsonb_object('{a,a}'::text[], '{1,2}'::text[])
json_object('{{{a,b}}}'::text[])
