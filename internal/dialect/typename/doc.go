// Package typename holds the name of a type as SQL text spells it, before any
// catalog has been asked what it means.
//
// Casts, column definitions, prepared-statement parameters and column
// definition lists all carry a TypeName. Inside a translated statement it
// travels as text (TypeName.String), which Parse reads back.
//
// It knows nothing of which types exist.
package typename
