package utility

import (
	"iter"
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// verb is what a refused statement begins with, in front of the words of its kind.
type verb uint8

// The verbs. A statement that has none begins with the words of its kind.
const (
	create verb = 1 << iota
	replace
	alter
	drop
	alone
	action       // of ALTER TABLE
	columnAction // of ALTER COLUMN
	indexAction  // of ALTER INDEX, and not of ALTER TABLE
)

var verbs = []struct {
	verb verb
	text string
}{{create, "CREATE "}, {replace, "CREATE OR REPLACE "}, {alter, "ALTER "}, {drop, "DROP "}, {alone, ""},
	{action, "ALTER TABLE ... "}, {columnAction, "ALTER TABLE ... ALTER COLUMN ... "}, {indexAction, "ALTER INDEX ... "}}

// Hints that several kinds have.
const (
	noFunctions  = "Compute in the statement, in a view, or in the program: functions.md lists what there is to compute with."
	noProcedures = "Send its statements from the program, within BEGIN and COMMIT."
	noLanguages  = "There are no functions of users."
	noServers    = "Copy the rows with COPY, or with saltsql push."
	noOperators  = "Write the expression that it would stand for."
	noOrders     = "Every type has one order: leave the operator class out."
	noTriggers   = "Write what it would write in the same transaction; DEFAULT now() and CHECK do the simple cases."
	noTextSearch = "There is no text search: use LIKE, ~ or starts_with."
	noSpaces     = "The store places its data itself."
	noParents    = "Write the columns into this table."
	noPartitions = "The store splits tables by itself; SALT_BUCKETS spreads hot keys and SPLIT ON gives first split points."
	noPolicies   = "GRANT on a view that has only the rows that a role may see."
	noRules      = "Make a view for what is read, and REVOKE what is not to be written."
	noStorage    = "Leave it out: the store compresses what it keeps, block by block."
	noClusters   = "Rows are stored in the order of their key."
	noReplicas   = "Poll a table, or use the change streams of the store."
	notTwoPhase  = "Use one transaction, or idempotent UPSERTs."
)

// refusal is a kind of statements that PostgreSQL has and nobody here reads further.
type refusal struct {
	verbs   verb
	words   []lex.Keyword
	instead string // what to do without it
}

func words(k ...lex.Keyword) []lex.Keyword { return k }

// refusals has them all. What stands elsewhere with the same verb and words, as CREATE TYPE … AS
// ENUM does, is read before anybody looks here.
var refusals = []refusal{
	{create | drop, words(lex.KAccess, lex.KMethod), "Leave USING out: tables are stored by their key, and indexes are sorted by their columns."},
	{create | replace | alter | drop, words(lex.KAggregate), "Compute it of the aggregates that functions.md lists."},
	{create, words(lex.KAssertion), "CHECK holds for each row; test what is over several in the transaction that writes them."},
	{create | drop, words(lex.KCast), noOperators},
	{create | alter | drop, words(lex.KCollation), `Text compares by bytes, collation "C", which is key order.`},
	{create | alter | drop, words(lex.KConversion), "Text is UTF8; convert it in the client."},
	{create, words(lex.KDefault, lex.KConversion), "Text is UTF8; convert it in the client."},
	{create | drop, words(lex.KDatabase), "A store is one database: serve another store on another port, or make a schema."},
	{alter, words(lex.KDatabase), "A store is one database: ALTER ROLE … SET sets parameters for its users, one by one."},
	{create | alter | drop, words(lex.KEvent, lex.KTrigger), "Do what it would do in the program that sends the DDL."},
	{alter, words(lex.KExtension), "What is built in has one version, in pg_catalog: leave it out."},
	{create | alter | drop, words(lex.KForeign, lex.KData, lex.KWrapper), noServers},
	{create, words(lex.KForeign, lex.KTable), noServers},
	{create | replace | alter | drop, words(lex.KFunction), noFunctions},
	{create | replace | alter | drop, words(lex.KLanguage), noLanguages},
	{create | replace | alter | drop, words(lex.KProcedural, lex.KLanguage), noLanguages},
	{create | replace, words(lex.KTrusted, lex.KLanguage), noLanguages},
	{create | replace, words(lex.KTrusted, lex.KProcedural, lex.KLanguage), noLanguages},
	{alter, words(lex.KLarge, lex.KObject), "Keep the bytes in a bytea column, in parts of a few MB."},
	{create | alter | drop, words(lex.KOperator), noOperators},
	{create | alter | drop, words(lex.KOperator, lex.KClass), noOrders},
	{create | alter | drop, words(lex.KOperator, lex.KFamily), noOrders},
	{create | alter | drop, words(lex.KPolicy), noPolicies},
	{create | replace | alter | drop, words(lex.KProcedure), noProcedures},
	{create | alter | drop, words(lex.KPublication), noReplicas},
	{alter | drop, words(lex.KRoutine), noFunctions},
	{create | replace | alter | drop, words(lex.KRule), noRules},
	{create | alter | drop, words(lex.KServer), noServers},
	{create | alter | drop, words(lex.KStatistics), "ANALYZE measures columns, each by itself; keys are measured without being told."},
	{create | alter | drop, words(lex.KSubscription), noServers},
	{create | alter | drop, words(lex.KTablespace), noSpaces},
	{create | alter | drop, words(lex.KText, lex.KSearch, lex.KConfiguration), noTextSearch},
	{create | alter | drop, words(lex.KText, lex.KSearch, lex.KDictionary), noTextSearch},
	{create | alter | drop, words(lex.KText, lex.KSearch, lex.KParser), noTextSearch},
	{create | alter | drop, words(lex.KText, lex.KSearch, lex.KTemplate), noTextSearch},
	{create | replace | drop, words(lex.KTransform), noLanguages},
	{create | replace | alter | drop, words(lex.KTrigger), noTriggers},
	{create | replace, words(lex.KConstraint, lex.KTrigger), noTriggers},
	{create | alter, words(lex.KType), "Use text with a CHECK that lists the values, or jsonb for a value of several parts."},
	{create | alter | drop, words(lex.KUser, lex.KMapping), noServers},

	{alone, words(lex.KAlter, lex.KTable, lex.KAll, lex.KIn, lex.KTablespace), noSpaces},
	{alone, words(lex.KAlter, lex.KIndex, lex.KAll, lex.KIn, lex.KTablespace), noSpaces},
	{alone, words(lex.KAlter, lex.KMaterialized, lex.KView, lex.KAll, lex.KIn, lex.KTablespace), noSpaces},
	{alone, words(lex.KCall), noProcedures},
	{alone, words(lex.KCluster), noClusters},
	{alone, words(lex.KCommit, lex.KPrepared), notTwoPhase},
	{alone, words(lex.KImport, lex.KForeign, lex.KSchema), noServers},
	{alone, words(lex.KLoad), "Leave it out: there is only what is built in."},
	{alone, words(lex.KPrepare, lex.KTransaction), notTwoPhase},
	{alone, words(lex.KRollback, lex.KPrepared), notTwoPhase},
	{alone, words(lex.KSecurity, lex.KLabel), "GRANT and REVOKE say who may do what."},

	{action, words(lex.KAlter, lex.KConstraint), "Constraints are checked at the end of each statement: leave it out."},
	{action, words(lex.KAttach, lex.KPartition), noPartitions},
	{action, words(lex.KCluster, lex.KOn), noClusters},
	{action, words(lex.KDetach, lex.KPartition), noPartitions},
	{action, words(lex.KEnable, lex.KRow, lex.KLevel, lex.KSecurity), noPolicies},
	{action, words(lex.KForce, lex.KRow, lex.KLevel, lex.KSecurity), noPolicies},
	{action, words(lex.KInherit), noParents},
	{action, words(lex.KNo, lex.KInherit), noParents},
	{action, words(lex.KNot, lex.KOf), noParents},
	{action, words(lex.KOf), noParents},
	{action, words(lex.KOptions), noServers},
	{action, words(lex.KReplica, lex.KIdentity), noReplicas},
	{action, words(lex.KSet, lex.KAccess, lex.KMethod), "Leave it out: tables are stored by their key."},
	{action, words(lex.KSet, lex.KLogged), "Leave it out: what is committed is kept, but for temporary tables."},
	{action, words(lex.KSet, lex.KTablespace), noSpaces},
	{action, words(lex.KSet, lex.KUnlogged), "CREATE TEMPORARY TABLE makes one whose rows are not kept."},

	{columnAction, words(lex.KReset), "Leave it out: columns have no options; ANALYZE measures them all alike."},
	{columnAction, words(lex.KSet), "Leave it out: columns have no options; ANALYZE measures them all alike."},
	{columnAction, words(lex.KSet, lex.KCompression), noStorage},
	{columnAction, words(lex.KSet, lex.KStatistics), "Leave it out: ANALYZE measures all columns alike."},
	{columnAction, words(lex.KSet, lex.KStorage), noStorage},

	{indexAction, words(lex.KDepends, lex.KOn, lex.KExtension), "What is built in cannot be dropped: leave it out."},
	{indexAction, words(lex.KNo, lex.KDepends, lex.KOn, lex.KExtension), "What is built in cannot be dropped: leave it out."},
	{indexAction, words(lex.KOn), "REINDEX INDEX fills an index anew, and CHECK TABLE … REPAIR mends it; DROP one that is not to be used."},
}

// Refused lists the kinds of statements that are refused: the commands of each, one for each
// verb, and what to do instead.
func Refused() iter.Seq2[[]string, string] {
	return func(yield func([]string, string) bool) {
		for _, r := range refusals {
			var commands []string
			for _, v := range verbs {
				if r.verbs&v.verb != 0 {
					commands = append(commands, r.command(v.verb))
				}
			}
			if !yield(commands, r.instead) {
				return
			}
		}
	}
}

// command names a statement in capitals, as its tag does.
func (r *refusal) command(v verb) string {
	var b strings.Builder
	for _, x := range verbs {
		if x.verb == v {
			b.WriteString(x.text)
		}
	}
	b.WriteString(inCapitals(r.words))
	return b.String()
}

func inCapitals(words []lex.Keyword) string {
	var b strings.Builder
	for i, k := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(upper(k.String()))
	}
	return b.String()
}

// follow counts how many of the words stand here, from the first.
func (p reader) follow(words []lex.Keyword) (n int) {
	for n < len(words) && p.Peek(n).Keyword == words[n] {
		n++
	}
	return n
}

// refused reads a statement that began at a token and whose kind stands here; of the kinds with
// these words it is the one that has most of them.
func (p reader) refused(v verb, begin int) *tree.Unsupported {
	var found *refusal
	read := 0
	for i := range refusals {
		r := &refusals[i]
		if r.verbs&v == 0 {
			continue
		}
		n := p.follow(r.words)
		if read = max(read, n); n == len(r.words) && (found == nil || n > len(found.words)) {
			found = r
		}
	}
	if found == nil {
		p.SyntaxErrorAt(p.At + read)
	}
	if v == replace {
		v = create
	}
	u := &tree.Unsupported{Command: found.command(v), Instead: found.instead, Pos: p.Pos(p.Tokens[begin].Start)}
	p.At += len(found.words)
	if k := p.Kind(); (k == lex.EOF || k == lex.Semicolon) && found.words[0] != lex.KCluster && v != action {
		p.SyntaxError()
	}
	if v == columnAction && len(found.words) == 1 && p.Kind() != lex.LParen {
		p.SyntaxError() // SET and RESET of options only
	}
	p.skipStatement()
	return u
}

// lockModes are the modes of LOCK TABLE, longest first.
var lockModes = []string{
	"access share", "access exclusive", "row share", "row exclusive",
	"share update exclusive", "share row exclusive", "share", "exclusive",
}
