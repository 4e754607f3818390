package types

import (
	"slices"
	"strconv"
	"strings"
)

// Domain is what a type that CREATE DOMAIN made is at a version of the catalog. Its values are
// those of Base that satisfy what is below. A T of a domain has the Kind, and with it the
// representation and the OID, of what lies under all domains: clients see nothing else in rows.
type Domain struct {
	Base    T // with its modifier; another domain perhaps. It never changes
	NotNull bool
	// NotNullPending says that NULL is refused, and that it is not known yet whether rows have it.
	NotNullPending bool
	// Checks are in the order in which they were made; they are tested in that of their names.
	Checks []DomainCheck
	// Default is expr's Stored form, of Base without its modifier; empty is none.
	Default string
	// Users are the types of the catalog that keeps the domain.
	Users *Users
}

// DomainCheck is a CHECK of a domain.
type DomainCheck struct {
	ID   uint32 // pg_constraint's OID
	Name string
	// Cond is expr's Stored form, over column DomainValue.
	Cond string
	// NotValid says that values of before it was made may violate it.
	NotValid bool
	Comment  string
	// Pending says that rows of before are being read: it is taken away where that does not end.
	Pending bool
}

// DomainValue is the column that stands for VALUE in a domain's CHECK.
const DomainValue = 1

// Domain is the domain that t is; nil for none.
func (t T) Domain() *User {
	if t.of == nil {
		return nil
	}
	return t.of.domain
}

// in gives t, the base of a domain, as the domain.
func (t T) in(domain *User) T { t.of = domain.over(t.Plain().of); return t }

// over gives the origin of the domain u over what lies under it, one for each.
func (u *User) over(under *origin) *origin {
	for {
		first := u.domains.Load()
		for o := first; o != nil; o = o.next {
			if o.under == under {
				return o
			}
		}
		o := &origin{domain: u, under: under, next: first}
		if under != nil {
			o.shape, o.user = under.shape, under.user
		}
		if u.domains.CompareAndSwap(first, o) {
			return o
		}
	}
}

// Plain gives the type under all domains, with its modifier.
func (t T) Plain() T {
	if t.Domain() != nil {
		t.of = t.of.under
	}
	return t
}

// DeclaredOID is pg_type's OID of t, a domain's own where it is one.
func (t T) DeclaredOID() uint32 {
	if t.Domain() != nil {
		return t.Domain().ID
	}
	return t.OID()
}

// Domains lists the domains that t is, the one under all others first.
func (t T) Domains() []*UserDef {
	var list []*UserDef
	for t.Domain() != nil {
		d := t.Domain().Def()
		list = append(list, d)
		if d.Domain == nil {
			break
		}
		t = d.Domain.Base
	}
	slices.Reverse(list)
	return list
}

// DefaultOf is the default of a domain. One over another domain has taken that one's when it was
// made.
func (t T) DefaultOf() (stored string, ok bool) {
	if t.Domain() == nil || t.Domain().Def().Domain == nil {
		return "", false
	}
	stored = t.Domain().Def().Domain.Default
	return stored, stored != ""
}

// Over says that t is the domain of an ID, or a domain over it.
func (t T) Over(id uint32) bool {
	for t.Domain() != nil {
		if t.Domain().ID == id {
			return true
		}
		d := t.Domain().Def().Domain
		if d == nil {
			return false
		}
		t = d.Base
	}
	return false
}

// storedDomain is Stored of a domain: @OID=, and the type under all domains.
func storedDomain(t T) string {
	return "@" + strconv.FormatUint(uint64(t.Domain().ID), 10) + "=" + t.Plain().Stored()
}

func (us *Users) domainFromStored(name string) (T, bool) {
	digits, under, has := strings.Cut(name[1:], "=")
	id, err := strconv.ParseUint(digits, 10, 32)
	base, ok := us.FromStored(under)
	return base.in(us.Of(uint32(id))), has && ok && err == nil && base.Domain() == nil
}
