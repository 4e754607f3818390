package pgcatalog

import (
	"strings"

	"github.com/saltsql/saltsql/internal/types"
)

func init() {
	Source("pg_catalog.pg_type", pgType)
	Source("pg_catalog.pg_proc", pgProc, "oid", "proname")
	Source("pg_catalog.pg_aggregate", pgAggregate)
	Source("pg_catalog.pg_operator", pgOperator)
	Source("pg_catalog.pg_cast", pgCast)
	Source("pg_catalog.pg_am", pgAm)
	Source("pg_catalog.pg_opclass", pgOpclass)
	Source("pg_catalog.pg_opfamily", pgOpfamily)
	Source("pg_catalog.pg_amop", pgAmop)
	Source("pg_catalog.pg_amproc", pgAmproc)
	Source("pg_catalog.pg_language", pgLanguage)
	Source("pg_catalog.pg_collation", pgCollation)
}

func pgType(q *Query) error {
	emit := func(t *typeFact) error {
		if !q.IsText("typname", t.name) {
			return nil
		}
		return q.Row(oid(t.oid), text(t.name), oid(catalogSchema), oid(superuserOID), num(t.len), yes(t.byVal), char(t.typ),
			char(t.category), yes(t.preferred), yes(true), char(t.delim), oid(0), oid(t.subscript), oid(t.elem), oid(t.array),
			oid(t.input), oid(t.output), oid(t.receive), oid(t.send), oid(t.modIn), oid(t.modOut), oid(t.analyze), char(t.align),
			char(t.storage), yes(false), oid(0), num(-1), num(0), oid(t.collation), null, null, null)
	}
	if id, ok := q.wantOID("oid"); ok {
		if t := builtins().typeByOID[id]; t != nil {
			return emit(t)
		}
	} else {
		for _, t := range builtins().types {
			if err := emit(t); err != nil {
				return err
			}
		}
	}
	if err := pgTypeUsers(q); err != nil {
		return err
	}
	if err := pgTypeRows(q); err != nil {
		return err
	}
	return pgTypeDomains(q)
}

// pgTypeDomains gives the domains that the columns of information_schema have.
func pgTypeDomains(q *Query) error {
	for i := range DomainFacts() {
		d := &DomainFacts()[i]
		if !q.isOID("oid", d.OID) || !q.IsText("typname", d.Name) {
			continue
		}
		t := typeByOID()[d.Base]
		err := q.Row(oid(d.OID), text(d.Name), oid(infoSchema), oid(superuserOID), num(t.len), yes(t.byVal), char('d'),
			char(t.category), yes(false), yes(true), char(t.delim), oid(0), oid(0), oid(0), oid(0),
			oid(domainIn), oid(t.output), oid(domainReceive), oid(t.send), oid(0), oid(0), oid(t.analyze), char(t.align),
			char(t.storage), yes(false), oid(d.Base), num(d.Typmod), num(0), oid(d.Collation), null, null, null)
		if err != nil {
			return err
		}
	}
	return nil
}

const (
	domainIn      = 2597
	domainReceive = 2598
)

func pgProc(q *Query) error {
	emit := func(p *ProcFact) error {
		all, modes, names, defaults := null, null, null, null
		if len(p.AllArgs) > 0 {
			all = array(types.OID, oid, p.AllArgs)
			modes = array(types.CharOne, func(s string) types.Datum { return char(s[0]) }, strings.Fields(p.Modes))
		}
		if list := p.ArgNames(); list != nil {
			names = array(types.Text, text, list)
		}
		if p.defaultText != "" {
			defaults = text(p.defaultText)
		}
		return q.Row(oid(p.OID), text(p.Bare), oid(SchemaOID(q.Snap, p.Schema)), oid(superuserOID), oid(internalLanguage), float(p.cost), float(p.rows),
			oid(p.variadic), oid(p.support), char(p.Kind), yes(false), yes(p.leakproof), yes(p.Strict), yes(p.set), char(p.Volatile),
			char(p.parallel), num(len(p.Args)), num(p.defaults), oid(p.Result), vector(types.Oidvector, p.Args), all, modes, names,
			defaults, null, text(p.Src), null, null, null, null)
	}
	if id, ok := q.wantOID("oid"); ok {
		if p := builtins().procByOID[id]; p != nil && q.IsText("proname", p.Bare) {
			return emit(p)
		}
		return nil
	}
	list := builtins().procs
	if name, ok := q.wantText("proname"); ok {
		list = builtins().procNamed[name]
	}
	for _, p := range list {
		if err := emit(p); err != nil {
			return err
		}
	}
	return nil
}

func pgAggregate(q *Query) error {
	initial := func(s *string) types.Datum {
		if s == nil {
			return null
		}
		return text(*s)
	}
	for _, a := range builtins().aggs {
		if !q.isOID("aggfnoid", a.oid) {
			continue
		}
		err := q.Row(oid(a.oid), char(a.kind), num(a.direct), oid(a.trans), oid(a.final), oid(a.combine), oid(a.serial), oid(a.deserial),
			oid(a.mtrans), oid(a.minvtrans), oid(a.mfinal), yes(a.finalExtra), yes(a.mfinalExtra), char(a.finalModify),
			char(a.mfinalModify), oid(a.sortOp), oid(a.transType), num(a.transSpace), oid(a.mtransType), num(a.mtransSpace),
			initial(a.init), initial(a.minit))
		if err != nil {
			return err
		}
	}
	return nil
}

func pgOperator(q *Query) error {
	b := builtins()
	known := func(id uint32) types.Datum {
		if b.opByOID[id] == nil {
			id = 0
		}
		return oid(id)
	}
	for _, o := range b.operators {
		if !q.isOID("oid", o.oid) || !q.IsText("oprname", o.name) {
			continue
		}
		err := q.Row(oid(o.oid), text(o.name), oid(catalogSchema), oid(superuserOID), char(o.kind), yes(o.canMerge), yes(o.canHash),
			oid(o.left), oid(o.right), oid(o.result), known(o.commutator), known(o.negator), oid(o.code), oid(o.restrict), oid(o.join))
		if err != nil {
			return err
		}
	}
	return nil
}

func pgCast(q *Query) error {
	for _, c := range builtins().casts {
		if !q.isOID("oid", c.oid) || !q.isOID("castsource", c.source) || !q.isOID("casttarget", c.target) {
			continue
		}
		if err := q.Row(oid(c.oid), oid(c.source), oid(c.target), oid(c.fn), char(c.context), char(c.method)); err != nil {
			return err
		}
	}
	return nil
}

// pgAm: tables are kept as one access method has them, and keys in order as another.
func pgAm(q *Query) error {
	if err := q.Row(oid(heapAM), text("heap"), oid(heapHandler), char('t')); err != nil {
		return err
	}
	return q.Row(oid(btreeAM), text("btree"), oid(btreeHandler), char('i'))
}

func pgOpclass(q *Query) error {
	for _, c := range builtins().opclasses {
		err := q.Row(oid(c.oid), oid(btreeAM), text(c.name), oid(catalogSchema), oid(superuserOID), oid(c.family), oid(c.input),
			yes(c.isDefault), oid(c.key))
		if err != nil {
			return err
		}
	}
	return nil
}

func pgOpfamily(q *Query) error {
	for _, f := range builtins().opfamily {
		if err := q.Row(oid(f.oid), oid(btreeAM), text(f.name), oid(catalogSchema), oid(superuserOID)); err != nil {
			return err
		}
	}
	return nil
}

func pgAmop(q *Query) error {
	for _, f := range builtins().amops {
		err := q.Row(oid(f.oid), oid(f.family), oid(f.left), oid(f.right), num(f.strategy), char('s'), oid(f.operator), oid(btreeAM), oid(0))
		if err != nil {
			return err
		}
	}
	return nil
}

func pgAmproc(q *Query) error {
	for _, f := range builtins().amprocs {
		if err := q.Row(oid(f.oid), oid(f.family), oid(f.left), oid(f.right), num(f.num), oid(f.proc)); err != nil {
			return err
		}
	}
	return nil
}

// pgLanguage: functions of users are not there, so neither are languages for them.
func pgLanguage(q *Query) error {
	return q.Row(oid(internalLanguage), text("internal"), oid(superuserOID), yes(false), yes(false), oid(0), oid(0), oid(0), null)
}

// pgCollation: text compares by its bytes.
func pgCollation(q *Query) error {
	for _, c := range []struct {
		oid      uint32
		name     string
		provider byte
	}{{defaultCollation, "default", 'd'}, {cCollation, "C", 'c'}, {posixCollation, "POSIX", 'c'}} {
		enc, locale := -1, text(c.name)
		if c.provider == 'd' {
			locale = null
		}
		err := q.Row(oid(c.oid), text(c.name), oid(catalogSchema), oid(superuserOID), char(c.provider), yes(true), num(enc), locale, locale, null, null)
		if err != nil {
			return err
		}
	}
	return nil
}
