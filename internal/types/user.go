package types

import (
	"cmp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// A User is a type that CREATE TYPE or CREATE DOMAIN has made. A catalog has one for each, which stays the same
// whatever becomes of its name and its values, so that a T that points to it is comparable.
type User struct {
	ID     uint32 // pg_type's OID
	number uint64 // of this process: see UserNumber
	def    atomic.Pointer[UserDef]

	origin  origin                 // of an enum
	domains atomic.Pointer[origin] // of a domain, a list by next
}

// UserDef is what a User is at a version of the catalog. It never changes.
type UserDef struct {
	Version      uint64
	ArrayID      uint32 // pg_type's OID of the arrays of it
	Schema, Name string
	ArrayName    string
	Labels       []Label // of an enum, ascending by Code
	Domain       *Domain // nil for an enum
}

// Label is a value of an enum. Its Code is what is stored, and sorts as the values do: a number
// with labelFraction bits after the point, which is what pg_enum.enumsortorder shows. The code
// of a value never changes.
type Label struct {
	Code int64
	Text string
	ID   uint32 // pg_enum's OID
	// Pending says that servers may not know the value yet: nobody may write it.
	Pending bool
}

const labelFraction = 32

// Order is pg_enum.enumsortorder.
func (l *Label) Order() float64 { return float64(l.Code) / (1 << labelFraction) }

// LabelCode is the code of the nth value of a new enum, n from 1.
func LabelCode(n int) int64 { return int64(n) << labelFraction }

// CodeBetween gives a code between those of two neighbours, or beside the one that is not nil;
// ok is false where there is no room left.
func CodeBetween(before, after *Label) (code int64, ok bool) {
	const step = 1 << labelFraction
	switch {
	case before == nil && after == nil:
		return step, true
	case before == nil:
		return after.Code - step, true
	case after == nil:
		return before.Code + step, true
	}
	return before.Code + (after.Code-before.Code)/2, after.Code-before.Code > 1
}

// Def is what the type is now.
func (u *User) Def() *UserDef {
	if d := u.def.Load(); d != nil {
		return d
	}
	return &UserDef{Name: "???", ArrayName: "???"}
}

// T is the type.
func (u *User) T() T {
	if d := u.Def().Domain; d != nil {
		return d.Base.in(u)
	}
	return T{Kind: Enum, of: &u.origin}
}

// learn takes a definition that is newer than the known one.
func (u *User) learn(d *UserDef) {
	for {
		old := u.def.Load()
		if old != nil && old.Version >= d.Version || u.def.CompareAndSwap(old, d) {
			return
		}
	}
}

// Written is the name, with its schema where that is not public.
func (d *UserDef) Written() string {
	if d.Schema == "public" || d.Schema == "" {
		return ident.Quote(d.Name)
	}
	return d.Qualified()
}

// Qualified is the name with its schema.
func (d *UserDef) Qualified() string { return ident.Quote(d.Schema) + "." + ident.Quote(d.Name) }

// ByCode finds a value; nil if there is none.
func (d *UserDef) ByCode(code int64) *Label {
	i, ok := slices.BinarySearchFunc(d.Labels, code, func(l Label, c int64) int { return cmp.Compare(l.Code, c) })
	if !ok {
		return nil
	}
	return &d.Labels[i]
}

// ByText finds a value; nil if there is none.
func (d *UserDef) ByText(text string) *Label {
	for i := range d.Labels {
		if d.Labels[i].Text == text {
			return &d.Labels[i]
		}
	}
	return nil
}

// Spelled is String, with the schema of a type of users.
func (t T) Spelled() string {
	switch {
	case t.Domain() != nil:
		return t.Domain().Def().Qualified()
	case t.User() == nil:
		return t.String()
	case t.Kind == Array:
		return t.User().Def().Qualified() + "[]"
	}
	return t.User().Def().Qualified()
}

// User is the type that CREATE TYPE made, an array's the one of its elements; nil for others.
func (t T) User() *User {
	if t.of == nil {
		return nil
	}
	return t.of.user
}

func appendEnum(dst []byte, t T, code int64) []byte {
	if t.User() != nil {
		if l := t.User().Def().ByCode(code); l != nil {
			return append(dst, l.Text...)
		}
	}
	return strconv.AppendInt(dst, code, 10)
}

func parseEnum(t T, s string) (Datum, error) {
	if t.User() != nil {
		if l := t.User().Def().ByText(s); l != nil && !l.Pending {
			return NewInt(l.Code), nil
		}
	}
	return NullDatum, sqlerr.New(sqlerr.InvalidTextRepresentation, `invalid input value for enum %s: "%s"`, t, s)
}

// Users are the types that CREATE TYPE and CREATE DOMAIN have made in one catalog, by OID. It may be used by any
// goroutine; the zero Users has none.
type Users struct {
	mu   sync.Mutex
	byID map[uint32]*User
}

// Of gives the type of an OID, which is made where nothing is known of it yet.
func (us *Users) Of(id uint32) *User {
	us.mu.Lock()
	defer us.mu.Unlock()
	u := us.byID[id]
	if u == nil {
		if us.byID == nil {
			us.byID = map[uint32]*User{}
		}
		u = &User{ID: id, number: lastNumber.Add(1)}
		u.origin.user = u
		us.byID[id] = u
		numbered.Store(u.number, weak.Make(u))
		runtime.AddCleanup(u, func(n uint64) { numbered.Delete(n) }, u.number)
	}
	return u
}

// Learn gives the type of an OID, which d says is now so.
func (us *Users) Learn(id uint32, d *UserDef) *User {
	u := us.Of(id)
	u.learn(d)
	return u
}

// numbered finds the Users of the process, of all catalogs, as long as somebody has them.
var (
	numbered   sync.Map // uint64 to weak.Pointer[User]
	lastNumber atomic.Uint64
)

// UserNumber stands for User in bytes that this process reads again; 0 for none.
func (t T) UserNumber() uint64 {
	if t.User() == nil {
		return 0
	}
	return t.User().number
}

// WithUserNumber gives t with the User of a number, which somebody still has.
func (t T) WithUserNumber(n uint64) T {
	if p, ok := numbered.Load(n); ok {
		if u := p.(weak.Pointer[User]).Value(); u != nil {
			t.of = &u.origin
		}
	}
	return t
}

// Stored names a type as descriptors do: by pg_type's name, or by #OID where a user has made
// it and may rename it.
func (t T) Stored() string {
	if t.Domain() != nil {
		return storedDomain(t)
	}
	if t.User() == nil {
		return t.TypName()
	}
	name := "#" + strconv.FormatUint(uint64(t.User().ID), 10)
	if t.Kind == Array {
		name += "[]"
	}
	return name
}

// FromStored reads what Stored gives.
func (us *Users) FromStored(name string) (T, bool) {
	if name != "" && name[0] == '@' && us != nil {
		return us.domainFromStored(name)
	}
	if name == "" || name[0] != '#' || us == nil {
		return FromTypName(name)
	}
	digits, array := strings.CutSuffix(name[1:], "[]")
	id, err := strconv.ParseUint(digits, 10, 32)
	t := us.Of(uint32(id)).T()
	if array {
		t = ArrayOf(t)
	}
	return t, err == nil
}

// UndefinedType is 42704.
func UndefinedType(name string) *sqlerr.Error {
	return sqlerr.New(sqlerr.UndefinedObject, `type "%s" does not exist`, name)
}
