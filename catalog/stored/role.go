package stored

import (
	"fmt"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
)

// The stored form of roles, owners and rights: see descriptor.go.

type roleJSON struct {
	Superuser   bool                  `json:"superuser,omitempty"`
	Inherit     bool                  `json:"inherit,omitempty"`
	CreateRole  bool                  `json:"create_role,omitempty"`
	CreateDB    bool                  `json:"create_db,omitempty"`
	Login       bool                  `json:"login,omitempty"`
	Replication bool                  `json:"replication,omitempty"`
	BypassRLS   bool                  `json:"bypass_rls,omitempty"`
	Verifier    string                `json:"verifier,omitempty"`
	ValidUntil  *int64                `json:"valid_until,omitempty"`
	ConnLimit   int                   `json:"connection_limit"`
	MemberOf    []catalog.Membership  `json:"member_of,omitempty"`
	Settings    []catalog.RoleSetting `json:"settings,omitempty"`
	Defaults    []defaultACLsJSON     `json:"default_rights,omitempty"`
}

type defaultACLsJSON struct {
	Schema uint32     `json:"schema,omitempty"`
	Kind   string     `json:"kind"`
	Rights []itemJSON `json:"rights"`
}

// ownedJSON is part of a descriptor. Rights that are there and empty are none at all.
type ownedJSON struct {
	Owner  uint32      `json:"owner,omitempty"`
	Rights *[]itemJSON `json:"rights,omitempty"`
}

// itemJSON is grantee, grantor, rights, grant options; the numbers of rights are acl's.
type itemJSON [4]uint32

func listToJSON(l *acl.List) *[]itemJSON {
	if l == nil {
		return nil
	}
	out := []itemJSON{}
	for _, it := range l.Items {
		out = append(out, itemJSON{it.Grantee, it.Grantor, uint32(it.Rights), uint32(it.Options)})
	}
	return &out
}

func listFromJSON(j *[]itemJSON) *acl.List {
	if j == nil {
		return nil
	}
	l := &acl.List{}
	for _, it := range *j {
		l.Items = append(l.Items, acl.Item{Grantee: it[0], Grantor: it[1], Rights: acl.Right(it[2]), Options: acl.Right(it[3])})
	}
	return l
}

func toJSON(o *catalog.Owned) ownedJSON { return ownedJSON{o.Owner, listToJSON(o.Rights)} }

func (j ownedJSON) owned() catalog.Owned {
	return catalog.Owned{Owner: j.Owner, Rights: listFromJSON(j.Rights)}
}

func roleToJSON(r *catalog.Role) *roleJSON {
	j := &roleJSON{
		Superuser: r.Superuser, Inherit: r.Inherit, CreateRole: r.CreateRole, CreateDB: r.CreateDB, Login: r.Login,
		Replication: r.Replication, BypassRLS: r.BypassRLS, Verifier: r.Verifier, ValidUntil: r.ValidUntil,
		ConnLimit: r.ConnLimit, MemberOf: r.MemberOf, Settings: r.Settings,
	}
	for _, d := range r.Defaults {
		j.Defaults = append(j.Defaults, defaultACLsJSON{d.Schema, string(rune(d.Kind)), *listToJSON(d.List)})
	}
	return j
}

func roleFromJSON(j *descJSON) (*catalog.Role, error) {
	b := j.Role
	r := &catalog.Role{
		ID: j.ID, Name: j.Name, Comment: j.Comment,
		RoleAttributes: catalog.RoleAttributes{Superuser: b.Superuser, Inherit: b.Inherit, CreateRole: b.CreateRole, CreateDB: b.CreateDB,
			Login: b.Login, Replication: b.Replication, BypassRLS: b.BypassRLS},
		Verifier: b.Verifier, ValidUntil: b.ValidUntil, ConnLimit: b.ConnLimit, MemberOf: b.MemberOf, Settings: b.Settings,
	}
	for _, d := range b.Defaults {
		if len(d.Kind) != 1 || acl.Kind(d.Kind[0]).All() == acl.None {
			return nil, fmt.Errorf("default rights on kind %q are unknown", d.Kind)
		}
		r.Defaults = append(r.Defaults, catalog.DefaultRights{Schema: d.Schema, Kind: acl.Kind(d.Kind[0]), List: listFromJSON(&d.Rights)})
	}
	return r, nil
}
