package utility

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/cursor"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// otherObjects are the kinds of objects that CREATE, ALTER and DROP know and
// nobody here reads further, by their first word; the value has the words that
// must follow, nil for none.
var otherObjects = map[lex.Keyword][]lex.Keyword{
	lex.KAccess:       {lex.KMethod},
	lex.KAggregate:    nil,
	lex.KCast:         nil,
	lex.KCollation:    nil,
	lex.KConversion:   nil,
	lex.KDatabase:     nil,
	lex.KDefault:      {lex.KPrivileges},
	lex.KEvent:        {lex.KTrigger},
	lex.KExtension:    nil,
	lex.KForeign:      {lex.KData, lex.KWrapper},
	lex.KFunction:     nil,
	lex.KGroup:        nil,
	lex.KLanguage:     nil,
	lex.KLarge:        {lex.KObject},
	lex.KOperator:     nil,
	lex.KOwned:        {lex.KBy},
	lex.KPolicy:       nil,
	lex.KProcedural:   {lex.KLanguage},
	lex.KProcedure:    nil,
	lex.KPublication:  nil,
	lex.KRole:         nil,
	lex.KRoutine:      nil,
	lex.KRule:         nil,
	lex.KServer:       nil,
	lex.KStatistics:   nil,
	lex.KSubscription: nil,
	lex.KSystem:       nil,
	lex.KTablespace:   nil,
	lex.KText:         {lex.KSearch},
	lex.KTransform:    nil,
	lex.KTrigger:      nil,
	lex.KTrusted:      {lex.KLanguage},
	lex.KType:         nil,
	lex.KUser:         nil,
	lex.KConstraint:   {lex.KTrigger},
}

// otherObject reads the statement `verb kind name …` of an object that is not
// read further, at its kind.
func (p reader) otherObject(verb string, begin int) tree.Utility {
	follow, ok := otherObjects[p.Keyword()]
	if !ok || p.Keyword() == 0 {
		p.SyntaxError()
	}
	words := []string{verb, p.Keyword().String()}
	first := p.Keyword()
	p.Next()
	if first == lex.KForeign && p.Keyword() == lex.KTable {
		follow = []lex.Keyword{lex.KTable}
	}
	for _, k := range follow {
		words = append(words, k.String())
		p.Expect(k)
	}
	switch k := p.Keyword(); {
	case first == lex.KOperator && (k == lex.KClass || k == lex.KFamily),
		first == lex.KUser && k == lex.KMapping,
		first == lex.KText && cursor.IsLabel(p.Token()):
		words = append(words, lex.Fold(p.Lex.Raw(*p.Token())))
		p.Next()
	}
	u := &tree.Unsupported{Command: upper(strings.Join(words, " ")), Pos: p.Pos(p.Tokens[begin].Start), Name: p.objectName()}
	p.skipStatement()
	return u
}

// otherAction tells the words that begin an action of ALTER TABLE which is not
// read further.
func otherAction(k lex.Keyword) bool {
	switch k {
	case lex.KEnable, lex.KDisable, lex.KForce, lex.KNo, lex.KCluster, lex.KInherit, lex.KOf, lex.KNot,
		lex.KReplica, lex.KAttach, lex.KDetach, lex.KDepends, lex.KOn, lex.KOptions:
		return true
	}
	return false
}

// lockModes are the modes of LOCK TABLE, longest first.
var lockModes = []string{
	"access share", "access exclusive", "row share", "row exclusive",
	"share update exclusive", "share row exclusive", "share", "exclusive",
}
