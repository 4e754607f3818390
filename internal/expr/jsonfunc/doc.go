// Package jsonfunc computes the functions and operators of json and jsonb.
//
//	value    to_json and its kin: JSON made of SQL values
//	record   SQL rows made of JSON: json_populate_record, json_to_recordset
//	get      -> ->> #> #>>, casts, what a value is
//	edit     jsonb_set, ||, -, #-: new documents of old ones
//	rows     json_each, json_array_elements: a member to a row
//	path     jsonb_path_*, over internal/expr/jsonpath
//
// The tables of internal/expr/builtin name each function here with its arguments and its result;
// package agg makes arrays and objects by MakeArray and MakeObject. Documents are read by
// internal/types/jsonval: jsonb into a tree, json so that it keeps the text of its parts.
//
// It must never register anything, nor change a document that it is given.
package jsonfunc
