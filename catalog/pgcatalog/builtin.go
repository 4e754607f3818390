package pgcatalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/types"
)

// builtinFacts is what the registries have, with what PostgreSQL says of it.
type builtinFacts struct {
	types     []*typeFact
	typeByOID map[uint32]*typeFact
	procs     []*ProcFact
	procByOID map[uint32]*ProcFact
	procNamed map[string][]*ProcFact
	operators []*operatorFact
	opByOID   map[uint32]*operatorFact
	casts     []*castFact
	aggs      []*aggregateFact
	opclasses []*opclassFact
	opfamily  []*opfamilyFact
	amops     []*amopFact
	amprocs   []*amprocFact
}

// builtins is made at its first use: nothing needs it but the catalogs.
var builtins = sync.OnceValue(func() *builtinFacts {
	b := &builtinFacts{typeByOID: map[uint32]*typeFact{}, procByOID: map[uint32]*ProcFact{}, procNamed: map[string][]*ProcFact{},
		opByOID: map[uint32]*operatorFact{}}
	b.addTypes()
	b.addOperators()
	b.addFunctions()
	b.addCasts()
	b.addOpclasses()
	b.addSupport()
	slices.SortFunc(b.procs, func(x, y *ProcFact) int { return cmp.Compare(x.OID, y.OID) })
	slices.SortFunc(b.operators, func(x, y *operatorFact) int { return cmp.Compare(x.oid, y.oid) })
	slices.SortFunc(b.types, func(x, y *typeFact) int { return cmp.Compare(x.oid, y.oid) })
	for _, p := range b.procs {
		b.procNamed[p.Bare] = append(b.procNamed[p.Bare], p)
	}
	return b
})

func (b *builtinFacts) addType(oid uint32) {
	f := typeByOID()[oid]
	if f == nil || b.typeByOID[oid] != nil {
		return
	}
	b.types = append(b.types, f)
	b.typeByOID[oid] = f
}

func (b *builtinFacts) addTypes() {
	for _, k := range types.Kinds() {
		t := types.Of(k)
		b.addType(t.OID())
		b.addType(t.ArrayOID())
	}
	// Those that only functions' declarations have: tools compare results with 'trigger'::regtype.
	for oid, f := range typeByOID() {
		if f.typ == 'p' {
			b.addType(oid)
		}
	}
}

// signature identifies an overload.
func signature(name string, args []uint32) string { return name + fmt.Sprint(args) }

var procBySignature = sync.OnceValue(func() map[string]*ProcFact {
	m := map[string]*ProcFact{}
	for i := range procFacts() {
		p := &procFacts()[i]
		m[signature(p.name, p.Args)] = p
	}
	return m
})

var operatorBySignature = sync.OnceValue(func() map[string]*operatorFact {
	m := map[string]*operatorFact{}
	for i := range operatorFacts() {
		o := &operatorFacts()[i]
		args := []uint32{o.left, o.right}
		if o.left == 0 {
			args = args[1:]
		}
		m[signature(o.name, args)] = o
	}
	return m
})

// What PostgreSQL has is known here; whether saltsql has it, package expr knows.
func init() {
	names := sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for i := range procFacts() {
			m[procFacts()[i].name] = true
		}
		return m
	})
	expr.RegisterPostgres(func(name string) bool { return names()[name] })
}

func (b *builtinFacts) addProc(p *ProcFact) {
	if p != nil && b.procByOID[p.OID] == nil {
		b.procs = append(b.procs, p)
		b.procByOID[p.OID] = p
	}
}

// inOrder lists what a registry has in an order that does not change from run to run:
// what PostgreSQL does not have gets its OID by it.
func inOrder(seq func(func(builtin.Builtin) bool)) []builtin.Builtin {
	list := slices.Collect(seq)
	slices.SortFunc(list, func(x, y builtin.Builtin) int {
		return cmp.Or(strings.Compare(x.Name, y.Name), slices.Compare(x.Args, y.Args))
	})
	return list
}

// unlisted says that a function is in the schema of Phoenix's or of ours, which the catalogs
// do not list: clients that read them speak PostgreSQL.
func unlisted(name string) bool { return strings.Contains(name, ".") }

func (b *builtinFacts) addFunctions() {
	next := uint32(firstOwnProc)
	add := func(x builtin.Builtin, kind byte) *ProcFact {
		p := procOf(x)
		if p == nil {
			if reservedWord(x.Name) || unlisted(x.Name) {
				return nil // current_date and its kin are called without parentheses: they are syntax
			}
			p = ownProc(x, kind)
			p.OID = next
			next++
		}
		b.addProc(p)
		return p
	}
	for _, x := range inOrder(builtin.Functions()) {
		add(x, 'f')
	}
	for _, x := range inOrder(builtin.Windows()) {
		add(x, 'w')
	}
	for _, x := range inOrder(builtin.Aggregates()) {
		p := add(x, 'a')
		if a := aggregateByOID()[p.OID]; a != nil {
			b.aggs = append(b.aggs, a)
		}
	}
}

// procOf finds the row of pg_proc that an overload is; nil where PostgreSQL has none. An
// argument that takes anything is written in several ways, and what an overload leaves out
// may have a default.
func procOf(x builtin.Builtin) *ProcFact {
	for _, anything := range []uint32{0, anyElementType, anyNonArrayType} {
		args := slices.Clone(x.Args)
		for i, a := range args {
			if anything != 0 && (a == anyType || a == anyElementType) {
				args[i] = anything
			}
		}
		if p := procBySignature()[signature(x.Name, args)]; p != nil {
			return p
		}
	}
	for i := range procFacts() {
		p := &procFacts()[i]
		if n := len(x.Args); p.name == x.Name && n < len(p.Args) && len(p.Args)-n <= int(p.defaults) && slices.Equal(x.Args, p.Args[:n]) {
			return p
		}
	}
	return nil
}

// reservedWord says that a name cannot be a function's.
func reservedWord(name string) bool {
	return slices.ContainsFunc(keywordFacts(), func(k keywordFact) bool { return k.word == name && k.category == 'R' })
}

// ownProc describes a function that PostgreSQL does not have.
func ownProc(x builtin.Builtin, kind byte) *ProcFact {
	p := &ProcFact{name: x.Name, Schema: "pg_catalog", Bare: x.Name, lang: internalLanguage, cost: 1, Kind: kind, Strict: x.Strict, set: x.Set, Volatile: 'i', parallel: 's',
		Result: x.Result, Args: x.Args, Src: x.Name}
	switch {
	case x.Volatile:
		p.Volatile = 'v'
	case x.Stable:
		p.Volatile = 's'
	}
	if x.Set {
		p.rows = 1000
	}
	if x.Variadic && len(x.Args) > 0 {
		p.variadic = x.Args[len(x.Args)-1]
		if t, ok := types.FromOID(p.variadic, -1); ok && t.Kind == types.Array && t.Elem != types.Unknown {
			p.variadic = t.ElemType().OID()
		}
	}
	return p
}

func (b *builtinFacts) addOperators() {
	next := uint32(firstOwnOperator)
	for _, x := range inOrder(builtin.Operators()) {
		o := operatorBySignature()[signature(x.Name, x.Args)]
		if o == nil {
			o = &operatorFact{oid: next, name: x.Name, kind: 'b', right: x.Args[len(x.Args)-1], result: x.Result}
			if o.kind = 'l'; len(x.Args) == 2 {
				o.kind, o.left = 'b', x.Args[0]
			}
			next++
		}
		b.operators = append(b.operators, o)
		b.opByOID[o.oid] = o
	}
}

func (b *builtinFacts) addCasts() {
	known := map[[2]uint32]*castFact{}
	for i := range castFacts() {
		c := &castFacts()[i]
		known[[2]uint32{c.source, c.target}] = c
	}
	for c := range builtin.Casts() {
		if f := known[[2]uint32{types.Of(c.From).OID(), types.Of(c.To).OID()}]; f != nil {
			b.casts = append(b.casts, f)
		}
	}
	for _, k := range types.Kinds() { // of a length to a length
		if f := known[[2]uint32{types.Of(k).OID(), types.Of(k).OID()}]; f != nil {
			b.casts = append(b.casts, f)
		}
	}
	slices.SortFunc(b.casts, func(x, y *castFact) int { return cmp.Compare(x.oid, y.oid) })
}

// addOpclasses takes the classes of the types that there are.
func (b *builtinFacts) addOpclasses() {
	families := map[uint32]bool{}
	for i := range opclassFacts() {
		c := &opclassFacts()[i]
		if _, ok := types.FromOID(c.input, -1); ok || c.input == anyArrayType || c.input == anyEnumType {
			b.opclasses = append(b.opclasses, c)
			families[c.family] = true
		}
	}
	for i := range opfamilyFacts() {
		if f := &opfamilyFacts()[i]; families[f.oid] {
			b.opfamily = append(b.opfamily, f)
		}
	}
	for i := range amopFacts() {
		if f := &amopFacts()[i]; families[f.family] && b.opByOID[f.operator] != nil {
			b.amops = append(b.amops, f)
		}
	}
	for i := range amprocFacts() {
		f := &amprocFacts()[i]
		_, left := types.FromOID(f.left, -1)
		_, right := types.FromOID(f.right, -1)
		if families[f.family] && (left && right || f.left == anyArrayType || f.left == anyEnumType) {
			b.amprocs = append(b.amprocs, f)
		}
	}
}

const (
	anyType         = 2276
	anyElementType  = 2283
	anyNonArrayType = 2776
	anyArrayType    = 2277
	heapHandler     = 3
	btreeHandler    = 330
)

// addSupport takes the functions that types, operators, casts, aggregates and operator
// classes name, and the pseudo-types of all functions.
func (b *builtinFacts) addSupport() {
	proc := func(oids ...uint32) {
		for _, oid := range oids {
			b.addProc(procByOID()[oid])
		}
	}
	proc(heapHandler, btreeHandler, enumIn, enumOut, enumReceive, enumSend)
	for _, o := range b.operators {
		proc(o.code, o.restrict, o.join)
	}
	for _, c := range b.casts {
		proc(c.fn)
	}
	for _, a := range b.aggs {
		proc(a.trans, a.final, a.combine, a.serial, a.deserial, a.mtrans, a.minvtrans, a.mfinal)
	}
	for _, f := range b.amprocs {
		proc(f.proc)
	}
	// Types name functions, and functions types.
	for at := 0; at < len(b.types) || at == 0; {
		for ; at < len(b.types); at++ {
			t := b.types[at]
			proc(t.input, t.output, t.receive, t.send, t.modIn, t.modOut, t.analyze, t.subscript)
		}
		for _, p := range b.procs {
			for _, t := range append(append([]uint32{p.Result}, p.Args...), p.AllArgs...) {
				b.addType(t)
			}
		}
	}
}

// Routines lists the functions that are built in, by their OIDs.
func Routines() []*ProcFact { return builtins().procs }

// TypeNamedOf gives the name of a type that is built in, "" for none, and says whether it is an
// array.
func TypeNamedOf(oid uint32) (name string, array bool) {
	t := typeByOID()[oid]
	if t == nil {
		return "", false
	}
	return t.name, t.elem != 0 && t.len == -1
}
