package marker

// The kinds of markers: the schema part of a marker call. Each begins with a
// NUL, which no Postgres text can hold, so that no name of a user can be taken
// for one. The fields of a payload (the name part) are separated by NULs too.
const (
	sep = "\x00"
	// NameFromStar is the name of an item that is named after the first column
	// of a subquery which selects *: only the binder knows that column.
	NameFromStar = sep
	// Nothing stands for an empty payload: MySQL has no empty identifier.
	Nothing = "_"

	// Expressions.
	MOp       = "\x00op"      // name[, schema[, syntax]] (a[, b[, escape]])
	MCast     = "\x00cast"    // type text[, syntax] (x)
	MAny      = "\x00any"     // op[, schema[, syntax]] (x, array | subquery)
	MAll      = "\x00all"     // as MAny
	MArray    = "\x00array"   // _ (elements)
	MArrayQ   = "\x00arrayq"  // _ (subquery)
	MSub      = "\x00sub"     // _ (base, index)
	MSlice    = "\x00slice"   // _ (base, lower | none, upper | none)
	MField    = "\x00field"   // name (base)
	MStarOf   = "\x00starof"  // _ (base): (x).*
	MWhole    = "\x00whole"   // table[, schema] (): t.*
	MRow      = "\x00row"     // _ | row (fields)
	MCollate  = "\x00collate" // name[, schema] (x)
	MKeyword  = "\x00kw"      // word (args)
	MSpecial  = "\x00sp"      // words (args)
	MNumber   = "\x00num"     // text ()
	MBits     = "\x00bit"     // b… | x… ()
	MNone     = "\x00none"    // _ (): a missing slice bound
	MDefault  = "\x00default" // _ (): DEFAULT inside a marker
	MArg      = "\x00arg"     // name (x): a named argument
	MVariadic = "\x00variadic"

	// The last arguments of a call.
	MStar      = "\x00star"      // _ (): f(*)
	MDistinct  = "\x00distinct"  // _ ()
	MAllRows   = "\x00allrows"   // _ (): f(ALL …)
	MOrder     = "\x00order"     // asc | desc [, first | last [, using operator, schema]] (x)
	MWithin    = "\x00within"    // _ (order items)
	MFilter    = "\x00filter"    // _ (condition)
	MOver      = "\x00over"      // ref | _ [, bare] (partition, order items, frame)
	MPartition = "\x00partition" // _ (expressions)
	MFrame     = "\x00frame"     // mode, start, end, exclude, between (offsets)

	// Queries.
	MDistinctOn = "\x00distinct_on" // _ (expressions): first select item
	MEmpty      = "\x00empty"       // _ (): the empty select list
	MTail       = "\x00tail"        // _ (limit, offset, windows, locks): last ORDER BY item
	MLimit      = "\x00limit"       // _ | ties (n)
	MOffset     = "\x00offset"      // _ (n)
	MWindow     = "\x00window"      // name (over)
	MLock       = "\x00lock"        // strength, wait[, relations] ()
	MGroup      = "\x00group"       // sets | cube | rollup | empty | distinct (items)
	MFrom       = "\x00from"        // flags (functions)
	MColDefs    = "\x00coldefs"     // column definitions (function)
	MSample     = "\x00sample"      // method (arguments[, repeatable])
	MRepeatable = "\x00repeatable"  // _ (seed)
	MNatural    = "\x00natural"     // _ (): the condition of NATURAL FULL JOIN

	// Table names with a meaning.
	TDual       = "\x00dual"       // FROM of a SELECT that has none
	TJoinAlias  = "\x00joinalias"  // (join CROSS JOIN this AS alias)
	TUsingAlias = "\x00usingalias" // the same for USING (…) AS alias
	TTarget     = "\x00target"     // DELETE FROM this USING target, …
	TSet        = "\x00set"        // UPDATE … SET this = MSet call
	TExt        = "\x00ext"        // ON DUPLICATE KEY UPDATE this = MExt call

	// DML.
	MExt       = "\x00ext"       // _ (with, columns, conflict, returning): of INSERT
	MWith      = "\x00with"      // _ (subquery with the WITH clause)
	MInner     = "\x00inner"     // index in Source.Inner (): a query of WITH that writes
	MColumns   = "\x00columns"   // _ (targets)
	MTyped     = "\x00typed"     // type text, flags (column): a dynamic column
	MConflict  = "\x00conflict"  // action[, constraint] (targets, sets, wheres)
	MTarget    = "\x00tgt"       // collation, operator class (expression)
	MTargetIf  = "\x00tgtwhere"  // _ (condition)
	MSet       = "\x00set"       // _ | multi (targets, value)
	MReturning = "\x00returning" // _ (items)
	MAs        = "\x00as"        // name (expression)
	MWild      = "\x00wild"      // _[, table[, schema]] ()
	MDML       = "\x00dml"       // _ (where, order items, limit, returning, cursor)
	MWhere     = "\x00where"     // _ (condition)
	MCursor    = "\x00cursor"    // name ()
)

// Alias payloads: name, position, flags, then what the flags announce.
const (
	FlagOnly       = 'o' // ONLY t
	FlagColumns    = 'c' // the rest are column names
	FlagColDefs    = 'd' // the rest are column definitions, five fields each
	FlagImplicit   = 'i' // the name is not the user's
	FlagRowsFrom   = 'r'
	FlagOrdinality = 'n'
	FlagLateral    = 'l'
	FlagUpsert     = 'u'
	FlagDefaults   = 'v' // DEFAULT VALUES
	FlagSystem     = 's' // OVERRIDING SYSTEM VALUE
	FlagUser       = 'e' // OVERRIDING USER VALUE
	FlagMat        = 'm' // MATERIALIZED
	FlagNotMat     = 'x' // NOT MATERIALIZED

	// Of a column's definition.
	FlagQuoted       = 'q'
	FlagQuotedFamily = 'f'
	FlagBare         = 'b' // of its type
)
