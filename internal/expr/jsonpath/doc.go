// Package jsonpath computes what an SQL/JSON path finds in a document, as PostgreSQL's
// jsonb_path_* functions do: in lax and strict mode, with errors that are raised or kept
// quiet, over jsonb's trees and exact numerics.
//
//	Query{Path, Doc, Vars, …}.Find  ──▶  the items, in order
//	                         .Exists ──▶  whether there is one; unknown after a fault
//
// internal/expr/builtin calls it. It parses nothing: paths come from internal/types/jsonpath,
// documents from internal/types/jsonval. It changes no document.
package jsonpath
