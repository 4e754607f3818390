package stored

import (
	"encoding/json"
	"fmt"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/types"
)

// The stored form of types that users made: see descriptor.go.

type enumJSON struct {
	ArrayID   uint32      `json:"array_id"`
	ArrayName string      `json:"array_name"`
	Labels    []labelJSON `json:"labels"`
}

type domainJSON struct {
	ArrayID   uint32 `json:"array_id"`
	ArrayName string `json:"array_name"`
	typeJSON
	NotNull bool              `json:"not_null,omitempty"`
	Pending bool              `json:"not_null_pending,omitempty"`
	Default json.RawMessage   `json:"default,omitempty"`
	Checks  []domainCheckJSON `json:"checks,omitempty"`
}

type domainCheckJSON struct {
	ID       uint32          `json:"id"`
	Name     string          `json:"name"`
	Cond     json.RawMessage `json:"cond"`
	NotValid bool            `json:"not_valid,omitempty"`
	Pending  bool            `json:"pending,omitempty"`
	Comment  string          `json:"comment,omitempty"`
}

type labelJSON struct {
	ID      uint32 `json:"id"`
	Code    int64  `json:"code"`
	Text    string `json:"text"`
	Pending bool   `json:"pending,omitempty"`
}

func enumFromJSON(j *descJSON) (*catalog.Type, error) {
	t := &catalog.Type{ID: j.ID, Schema: j.Schema, Name: j.Name, Version: j.Version, Comment: j.Comment, ArrayID: j.Enum.ArrayID, ArrayName: j.Enum.ArrayName}
	for i, l := range j.Enum.Labels {
		if i > 0 && l.Code <= j.Enum.Labels[i-1].Code {
			return nil, fmt.Errorf("the values of an enum are out of order")
		}
		t.Labels = append(t.Labels, types.Label{ID: l.ID, Code: l.Code, Text: l.Text, Pending: l.Pending})
	}
	return t, nil
}

func domainToJSON(t *catalog.Type) *domainJSON {
	j := &domainJSON{
		ArrayID: t.ArrayID, ArrayName: t.ArrayName, typeJSON: typeToJSON(t.Domain.Base), NotNull: t.Domain.NotNull, Pending: t.Domain.NotNullPending, Default: json.RawMessage(t.Domain.Default),
	}
	for _, k := range t.Domain.Checks {
		j.Checks = append(j.Checks, domainCheckJSON{ID: k.ID, Name: k.Name, Cond: json.RawMessage(k.Cond), NotValid: k.NotValid, Comment: k.Comment, Pending: k.Pending})
	}
	return j
}

func domainFromJSON(j *descJSON, users *types.Users) (*catalog.Type, error) {
	base, err := typeFromJSON(j.Domain.typeJSON, users)
	if err != nil {
		return nil, err
	}
	d := &types.Domain{Base: base, NotNull: j.Domain.NotNull, NotNullPending: j.Domain.Pending, Default: string(j.Domain.Default)}
	for _, k := range j.Domain.Checks {
		d.Checks = append(d.Checks, types.DomainCheck{ID: k.ID, Name: k.Name, Cond: string(k.Cond), NotValid: k.NotValid, Comment: k.Comment, Pending: k.Pending})
	}
	return &catalog.Type{
		ID: j.ID, Schema: j.Schema, Name: j.Name, Version: j.Version, Comment: j.Comment, ArrayID: j.Domain.ArrayID, ArrayName: j.Domain.ArrayName, Domain: d,
	}, nil
}
