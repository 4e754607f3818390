package stored

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// The stored form of an index, a part of its table's descriptor.

type indexJSON struct {
	ID               uint32              `json:"id"`
	Name             string              `json:"name"`
	Physical         string              `json:"physical"`
	State            string              `json:"state"`
	Parts            []partJSON          `json:"parts"`
	Include          []int               `json:"include,omitempty"` // column IDs
	Where            json.RawMessage     `json:"where,omitempty"`
	WhereColumns     []int               `json:"where_columns,omitempty"`
	Unique           bool                `json:"unique,omitempty"`
	NullsNotDistinct bool                `json:"nulls_not_distinct,omitempty"`
	Constraint       bool                `json:"constraint,omitempty"`
	SaltBuckets      int                 `json:"salt_buckets,omitempty"`
	SaltParts        []int               `json:"salt_parts,omitempty"`
	Comment          string              `json:"comment,omitempty"`
	OfConstraint     string              `json:"constraint_comment,omitempty"`
	Build            *catalog.IndexBuild `json:"build,omitempty"`
}

type partJSON struct {
	Column     int             `json:"column,omitempty"` // ID
	Expr       json.RawMessage `json:"expr,omitempty"`
	Name       string          `json:"name,omitempty"`
	Call       bool            `json:"call,omitempty"`
	Type       *typeJSON       `json:"of,omitempty"` // of an expression
	Columns    []int           `json:"columns,omitempty"`
	Desc       bool            `json:"desc,omitempty"`
	NullsFirst bool            `json:"nulls_first,omitempty"`
	OpClass    string          `json:"op_class,omitempty"`
	// Micros is of an expression that gives a time, which counted milliseconds once.
	Micros bool `json:"micros,omitempty"`
}

func indexToJSON(ix *catalog.Index) indexJSON {
	j := indexJSON{
		ID: ix.ID, Name: ix.Name, Physical: ix.Physical, State: catalog.IndexStateNames[ix.State], Include: ix.Include,
		Where: json.RawMessage(ix.Where), WhereColumns: ix.WhereColumns, Unique: ix.Unique, NullsNotDistinct: ix.NullsNotDistinct,
		Constraint: ix.Constraint, SaltBuckets: ix.SaltBuckets, SaltParts: ix.SaltParts, Comment: ix.Comment, OfConstraint: ix.ConstraintComment, Build: ix.Build,
	}
	for i := range ix.Parts {
		p := &ix.Parts[i]
		pj := partJSON{Column: p.Column, Desc: p.Desc, NullsFirst: p.NullsFirst, OpClass: p.OpClass}
		if p.Column == 0 {
			t := typeToJSON(p.Type)
			pj.Name, pj.Call = p.Name, p.Call
			pj.Expr, pj.Type, pj.Columns = json.RawMessage(p.Expr), &t, p.Columns
			pj.Micros = p.Store.Type == rowcodec.TimeMicros
		}
		j.Parts = append(j.Parts, pj)
	}
	return j
}

func indexFromJSON(j *indexJSON, users *types.Users) (catalog.Index, error) {
	ix := catalog.Index{
		ID: j.ID, Name: j.Name, Physical: j.Physical, Include: j.Include, Where: expr.Stored(j.Where), WhereColumns: j.WhereColumns,
		Unique: j.Unique, NullsNotDistinct: j.NullsNotDistinct, Constraint: j.Constraint,
		SaltBuckets: j.SaltBuckets, SaltParts: j.SaltParts, Comment: j.Comment, ConstraintComment: j.OfConstraint, Build: j.Build,
	}
	st := slices.Index(catalog.IndexStateNames, j.State)
	if st < 0 {
		return ix, fmt.Errorf("state %q of index %q is unknown", j.State, j.Name)
	}
	if j.ID == 0 || j.Name == "" || j.Physical == "" || len(j.Parts) == 0 {
		return ix, fmt.Errorf("an index has no ID, no name, no storage table or no parts")
	}
	ix.State = catalog.IndexState(st)
	for _, pj := range j.Parts {
		p := catalog.IndexPart{Column: pj.Column, Expr: expr.Stored(pj.Expr), Name: pj.Name, Call: pj.Call, Columns: pj.Columns, Desc: pj.Desc, NullsFirst: pj.NullsFirst, OpClass: pj.OpClass}
		if p.Column == 0 {
			if pj.Type == nil || p.Expr == "" {
				return ix, fmt.Errorf("a part of index %q has no expression", j.Name)
			}
			var err error
			if p.Type, err = typeFromJSON(*pj.Type, users); err != nil {
				return ix, err
			}
			if p.Store, err = catalog.StorageColumn(p.Type); err != nil {
				return ix, err
			}
			if p.Store.Type == rowcodec.TimeMicros && !pj.Micros {
				p.Store.Type = rowcodec.Time
			}
		}
		ix.Parts = append(ix.Parts, p)
	}
	for _, at := range ix.SaltParts {
		if at < 0 || at >= len(ix.Parts) {
			return ix, fmt.Errorf("index %q is salted by part %d, which it has not", j.Name, at)
		}
	}
	return ix, nil
}
