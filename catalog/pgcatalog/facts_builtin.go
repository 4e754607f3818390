package pgcatalog

import "strings"

// typeFact is a row of pg_type.
type typeFact struct {
	oid                                                  uint32
	name                                                 string
	len                                                  int64
	byVal                                                bool
	typ, category                                        byte
	preferred                                            bool
	delim                                                byte
	subscript, elem, array                               uint32
	input, output, receive, send, modIn, modOut, analyze uint32
	align, storage                                       byte
	collation                                            uint32
}

var typeFacts = list("types", func(f *fields) typeFact {
	return typeFact{
		oid: f.oid(), name: f.str(), len: f.int(), byVal: f.bool(), typ: f.char(), category: f.char(), preferred: f.bool(),
		delim: f.char(), subscript: f.oid(), elem: f.oid(), array: f.oid(), input: f.oid(), output: f.oid(), receive: f.oid(),
		send: f.oid(), modIn: f.oid(), modOut: f.oid(), analyze: f.oid(), align: f.char(), storage: f.char(), collation: f.oid(),
	}
})

var typeByOID = byOID(typeFacts, func(t *typeFact) uint32 { return t.oid })

// DomainFact is a domain of information_schema.
type DomainFact struct {
	OID       uint32
	Name      string
	array     uint32
	Base      uint32
	Typmod    int64
	Collation uint32
}

var DomainFacts = list("domains", func(f *fields) DomainFact {
	return DomainFact{f.oid(), f.str(), f.oid(), f.oid(), f.int(), f.oid()}
})

// ProcFact is a row of pg_proc.
type ProcFact struct {
	OID                uint32
	name               string // as it is registered: with its schema where that is not pg_catalog
	Schema, Bare       string
	lang               uint32
	cost, rows         float64
	variadic, support  uint32
	Kind               byte
	leakproof, Strict  bool
	set                bool
	Volatile, parallel byte
	defaults           int64
	Result             uint32
	Args               []uint32
	AllArgs            []uint32
	Modes              string // with blanks between them
	names              string // with commas between them
	defaultText        string
	Src                string
}

var procFacts = list("procs", func(f *fields) ProcFact {
	p := ProcFact{
		OID: f.oid(), name: f.str(), lang: f.oid(), cost: f.float(), rows: f.float(), variadic: f.oid(), support: f.oid(),
		Kind: f.char(), leakproof: f.bool(), Strict: f.bool(), set: f.bool(), Volatile: f.char(), parallel: f.char(),
		defaults: f.int(), Result: f.oid(), Args: f.oids(), AllArgs: f.oids(), Modes: f.str(), names: f.str(),
		defaultText: f.str(), Src: f.str(),
	}
	p.Schema, p.Bare = "pg_catalog", p.name
	if schema, bare, ok := strings.Cut(p.name, "."); ok {
		p.Schema, p.Bare = schema, bare
	}
	if p.Src == "" {
		p.Src = p.Bare
	}
	return p
})

var procByOID = byOID(procFacts, func(p *ProcFact) uint32 { return p.OID })

// operatorFact is a row of pg_operator.
type operatorFact struct {
	oid                  uint32
	name                 string
	kind                 byte
	canMerge, canHash    bool
	left, right, result  uint32
	commutator, negator  uint32
	code, restrict, join uint32
}

var operatorFacts = list("operators", func(f *fields) operatorFact {
	return operatorFact{
		oid: f.oid(), name: f.str(), kind: f.char(), canMerge: f.bool(), canHash: f.bool(), left: f.oid(), right: f.oid(),
		result: f.oid(), commutator: f.oid(), negator: f.oid(), code: f.oid(), restrict: f.oid(), join: f.oid(),
	}
})

// castFact is a row of pg_cast.
type castFact struct {
	oid, source, target, fn uint32
	context, method         byte
}

var castFacts = list("casts", func(f *fields) castFact {
	return castFact{f.oid(), f.oid(), f.oid(), f.oid(), f.char(), f.char()}
})

// aggregateFact is a row of pg_aggregate.
type aggregateFact struct {
	oid                                     uint32
	kind                                    byte
	direct                                  int64
	trans, final, combine, serial, deserial uint32
	mtrans, minvtrans, mfinal               uint32
	finalExtra, mfinalExtra                 bool
	finalModify, mfinalModify               byte
	sortOp, transType                       uint32
	transSpace                              int64
	mtransType                              uint32
	mtransSpace                             int64
	init, minit                             *string
}

var aggregateFacts = list("aggregates", func(f *fields) aggregateFact {
	optional := func() *string {
		if (*f)[0] == `\N` {
			f.str()
			return nil
		}
		s := f.str()
		return &s
	}
	return aggregateFact{
		oid: f.oid(), kind: f.char(), direct: f.int(), trans: f.oid(), final: f.oid(), combine: f.oid(), serial: f.oid(), deserial: f.oid(),
		mtrans: f.oid(), minvtrans: f.oid(), mfinal: f.oid(), finalExtra: f.bool(), mfinalExtra: f.bool(),
		finalModify: f.char(), mfinalModify: f.char(), sortOp: f.oid(), transType: f.oid(), transSpace: f.int(),
		mtransType: f.oid(), mtransSpace: f.int(), init: optional(), minit: optional(),
	}
})

var aggregateByOID = byOID(aggregateFacts, func(a *aggregateFact) uint32 { return a.oid })

// Operator classes are those of the btree access method, which is how every key is
// kept.

type opfamilyFact struct {
	oid  uint32
	name string
}

var opfamilyFacts = list("opfamilies", func(f *fields) opfamilyFact { return opfamilyFact{f.oid(), f.str()} })

type opclassFact struct {
	oid       uint32
	name      string
	family    uint32
	input     uint32
	isDefault bool
	key       uint32
}

var opclassFacts = list("opclasses", func(f *fields) opclassFact {
	return opclassFact{f.oid(), f.str(), f.oid(), f.oid(), f.bool(), f.oid()}
})

type amopFact struct {
	oid, family, left, right uint32
	strategy                 int64
	operator                 uint32
}

var amopFacts = list("amops", func(f *fields) amopFact {
	return amopFact{f.oid(), f.oid(), f.oid(), f.oid(), f.int(), f.oid()}
})

type amprocFact struct {
	oid, family, left, right uint32
	num                      int64
	proc                     uint32
}

var amprocFacts = list("amprocs", func(f *fields) amprocFact {
	return amprocFact{f.oid(), f.oid(), f.oid(), f.oid(), f.int(), f.oid()}
})

type keywordFact struct {
	word     string
	category byte
	bare     bool
}

var keywordFacts = list("keywords", func(f *fields) keywordFact {
	return keywordFact{f.str(), f.char(), f.bool()}
})

// ArgNames gives the names of all arguments; nil where they have none.
func (p *ProcFact) ArgNames() []string {
	if p.names == "" {
		return nil
	}
	return strings.Split(p.names, ",")
}
