package lex

// Keyword is the number of a Postgres key word; 0 is none.
type Keyword uint16

// Category says where a key word may serve as a name, as in pg_get_keywords().
type Category uint8

// The categories of key words.
const (
	NoKeyword  Category = iota
	Unreserved          // any name
	ColName             // a column or table name, not a function or type name
	TypeFunc            // a function or type name, not a column or table name
	Reserved            // only a label after AS
)

// Long because it is a table: the key words of Postgres 15.
const (
	_ Keyword = iota
	KAbort
	KAbsolute
	KAccess
	KAction
	KAdd
	KAdmin
	KAfter
	KAggregate
	KAll
	KAlso
	KAlter
	KAlways
	KAnalyse
	KAnalyze
	KAnd
	KAny
	KArray
	KAs
	KAsc
	KAsensitive
	KAssertion
	KAssignment
	KAsymmetric
	KAt
	KAtomic
	KAttach
	KAttribute
	KAuthorization
	KBackward
	KBefore
	KBegin
	KBetween
	KBigint
	KBinary
	KBit
	KBoolean
	KBoth
	KBreadth
	KBy
	KCache
	KCall
	KCalled
	KCascade
	KCascaded
	KCase
	KCast
	KCatalog
	KChain
	KChar
	KCharacter
	KCharacteristics
	KCheck
	KCheckpoint
	KClass
	KClose
	KCluster
	KCoalesce
	KCollate
	KCollation
	KColumn
	KColumns
	KComment
	KComments
	KCommit
	KCommitted
	KCompression
	KConcurrently
	KConfiguration
	KConflict
	KConnection
	KConstraint
	KConstraints
	KContent
	KContinue
	KConversion
	KCopy
	KCost
	KCreate
	KCross
	KCsv
	KCube
	KCurrent
	KCurrentCatalog
	KCurrentDate
	KCurrentRole
	KCurrentSchema
	KCurrentTime
	KCurrentTimestamp
	KCurrentUser
	KCursor
	KCycle
	KData
	KDatabase
	KDay
	KDeallocate
	KDec
	KDecimal
	KDeclare
	KDefault
	KDefaults
	KDeferrable
	KDeferred
	KDefiner
	KDelete
	KDelimiter
	KDelimiters
	KDepends
	KDepth
	KDesc
	KDetach
	KDictionary
	KDisable
	KDiscard
	KDistinct
	KDo
	KDocument
	KDomain
	KDouble
	KDrop
	KEach
	KElse
	KEnable
	KEncoding
	KEncrypted
	KEnd
	KEnum
	KEscape
	KEvent
	KExcept
	KExclude
	KExcluding
	KExclusive
	KExecute
	KExists
	KExplain
	KExpression
	KExtension
	KExternal
	KExtract
	KFalse
	KFamily
	KFetch
	KFilter
	KFinalize
	KFirst
	KFloat
	KFollowing
	KFor
	KForce
	KForeign
	KForward
	KFreeze
	KFrom
	KFull
	KFunction
	KFunctions
	KGenerated
	KGlobal
	KGrant
	KGranted
	KGreatest
	KGroup
	KGrouping
	KGroups
	KHandler
	KHaving
	KHeader
	KHold
	KHour
	KIdentity
	KIf
	KIlike
	KImmediate
	KImmutable
	KImplicit
	KImport
	KIn
	KInclude
	KIncluding
	KIncrement
	KIndex
	KIndexes
	KInherit
	KInherits
	KInitially
	KInline
	KInner
	KInout
	KInput
	KInsensitive
	KInsert
	KInstead
	KInt
	KInteger
	KIntersect
	KInterval
	KInto
	KInvoker
	KIs
	KIsnull
	KIsolation
	KJoin
	KKey
	KLabel
	KLanguage
	KLarge
	KLast
	KLateral
	KLeading
	KLeakproof
	KLeast
	KLeft
	KLevel
	KLike
	KLimit
	KListen
	KLoad
	KLocal
	KLocaltime
	KLocaltimestamp
	KLocation
	KLock
	KLocked
	KLogged
	KMapping
	KMatch
	KMatched
	KMaterialized
	KMaxvalue
	KMerge
	KMethod
	KMinute
	KMinvalue
	KMode
	KMonth
	KMove
	KName
	KNames
	KNational
	KNatural
	KNchar
	KNew
	KNext
	KNfc
	KNfd
	KNfkc
	KNfkd
	KNo
	KNone
	KNormalize
	KNormalized
	KNot
	KNothing
	KNotify
	KNotnull
	KNowait
	KNull
	KNullif
	KNulls
	KNumeric
	KObject
	KOf
	KOff
	KOffset
	KOids
	KOld
	KOn
	KOnly
	KOperator
	KOption
	KOptions
	KOr
	KOrder
	KOrdinality
	KOthers
	KOut
	KOuter
	KOver
	KOverlaps
	KOverlay
	KOverriding
	KOwned
	KOwner
	KParallel
	KParameter
	KParser
	KPartial
	KPartition
	KPassing
	KPassword
	KPlacing
	KPlans
	KPolicy
	KPosition
	KPreceding
	KPrecision
	KPrepare
	KPrepared
	KPreserve
	KPrimary
	KPrior
	KPrivileges
	KProcedural
	KProcedure
	KProcedures
	KProgram
	KPublication
	KQuote
	KRange
	KRead
	KReal
	KReassign
	KRecheck
	KRecursive
	KRef
	KReferences
	KReferencing
	KRefresh
	KReindex
	KRelative
	KRelease
	KRename
	KRepeatable
	KReplace
	KReplica
	KReset
	KRestart
	KRestrict
	KReturn
	KReturning
	KReturns
	KRevoke
	KRight
	KRole
	KRollback
	KRollup
	KRoutine
	KRoutines
	KRow
	KRows
	KRule
	KSavepoint
	KSchema
	KSchemas
	KScroll
	KSearch
	KSecond
	KSecurity
	KSelect
	KSequence
	KSequences
	KSerializable
	KServer
	KSession
	KSessionUser
	KSet
	KSetof
	KSets
	KShare
	KShow
	KSimilar
	KSimple
	KSkip
	KSmallint
	KSnapshot
	KSome
	KSql
	KStable
	KStandalone
	KStart
	KStatement
	KStatistics
	KStdin
	KStdout
	KStorage
	KStored
	KStrict
	KStrip
	KSubscription
	KSubstring
	KSupport
	KSymmetric
	KSysid
	KSystem
	KTable
	KTables
	KTablesample
	KTablespace
	KTemp
	KTemplate
	KTemporary
	KText
	KThen
	KTies
	KTime
	KTimestamp
	KTo
	KTrailing
	KTransaction
	KTransform
	KTreat
	KTrigger
	KTrim
	KTrue
	KTruncate
	KTrusted
	KType
	KTypes
	KUescape
	KUnbounded
	KUncommitted
	KUnencrypted
	KUnion
	KUnique
	KUnknown
	KUnlisten
	KUnlogged
	KUntil
	KUpdate
	KUser
	KUsing
	KVacuum
	KValid
	KValidate
	KValidator
	KValue
	KValues
	KVarchar
	KVariadic
	KVarying
	KVerbose
	KVersion
	KView
	KViews
	KVolatile
	KWhen
	KWhere
	KWhitespace
	KWindow
	KWith
	KWithin
	KWithout
	KWork
	KWrapper
	KWrite
	KXml
	KXmlattributes
	KXmlconcat
	KXmlelement
	KXmlexists
	KXmlforest
	KXmlnamespaces
	KXmlparse
	KXmlpi
	KXmlroot
	KXmlserialize
	KXmltable
	KYear
	KYes
	KZone
	numKeywords
)

// keywordInfo is what is known of one key word.
type keywordInfo struct {
	word string
	cat  Category
	bare bool // may be a column label without AS
}

var keywords = [numKeywords]keywordInfo{
	KAbort:            {"abort", Unreserved, true},
	KAbsolute:         {"absolute", Unreserved, true},
	KAccess:           {"access", Unreserved, true},
	KAction:           {"action", Unreserved, true},
	KAdd:              {"add", Unreserved, true},
	KAdmin:            {"admin", Unreserved, true},
	KAfter:            {"after", Unreserved, true},
	KAggregate:        {"aggregate", Unreserved, true},
	KAll:              {"all", Reserved, true},
	KAlso:             {"also", Unreserved, true},
	KAlter:            {"alter", Unreserved, true},
	KAlways:           {"always", Unreserved, true},
	KAnalyse:          {"analyse", Reserved, true},
	KAnalyze:          {"analyze", Reserved, true},
	KAnd:              {"and", Reserved, true},
	KAny:              {"any", Reserved, true},
	KArray:            {"array", Reserved, false},
	KAs:               {"as", Reserved, false},
	KAsc:              {"asc", Reserved, true},
	KAsensitive:       {"asensitive", Unreserved, true},
	KAssertion:        {"assertion", Unreserved, true},
	KAssignment:       {"assignment", Unreserved, true},
	KAsymmetric:       {"asymmetric", Reserved, true},
	KAt:               {"at", Unreserved, true},
	KAtomic:           {"atomic", Unreserved, true},
	KAttach:           {"attach", Unreserved, true},
	KAttribute:        {"attribute", Unreserved, true},
	KAuthorization:    {"authorization", TypeFunc, true},
	KBackward:         {"backward", Unreserved, true},
	KBefore:           {"before", Unreserved, true},
	KBegin:            {"begin", Unreserved, true},
	KBetween:          {"between", ColName, true},
	KBigint:           {"bigint", ColName, true},
	KBinary:           {"binary", TypeFunc, true},
	KBit:              {"bit", ColName, true},
	KBoolean:          {"boolean", ColName, true},
	KBoth:             {"both", Reserved, true},
	KBreadth:          {"breadth", Unreserved, true},
	KBy:               {"by", Unreserved, true},
	KCache:            {"cache", Unreserved, true},
	KCall:             {"call", Unreserved, true},
	KCalled:           {"called", Unreserved, true},
	KCascade:          {"cascade", Unreserved, true},
	KCascaded:         {"cascaded", Unreserved, true},
	KCase:             {"case", Reserved, true},
	KCast:             {"cast", Reserved, true},
	KCatalog:          {"catalog", Unreserved, true},
	KChain:            {"chain", Unreserved, true},
	KChar:             {"char", ColName, false},
	KCharacter:        {"character", ColName, false},
	KCharacteristics:  {"characteristics", Unreserved, true},
	KCheck:            {"check", Reserved, true},
	KCheckpoint:       {"checkpoint", Unreserved, true},
	KClass:            {"class", Unreserved, true},
	KClose:            {"close", Unreserved, true},
	KCluster:          {"cluster", Unreserved, true},
	KCoalesce:         {"coalesce", ColName, true},
	KCollate:          {"collate", Reserved, true},
	KCollation:        {"collation", TypeFunc, true},
	KColumn:           {"column", Reserved, true},
	KColumns:          {"columns", Unreserved, true},
	KComment:          {"comment", Unreserved, true},
	KComments:         {"comments", Unreserved, true},
	KCommit:           {"commit", Unreserved, true},
	KCommitted:        {"committed", Unreserved, true},
	KCompression:      {"compression", Unreserved, true},
	KConcurrently:     {"concurrently", TypeFunc, true},
	KConfiguration:    {"configuration", Unreserved, true},
	KConflict:         {"conflict", Unreserved, true},
	KConnection:       {"connection", Unreserved, true},
	KConstraint:       {"constraint", Reserved, true},
	KConstraints:      {"constraints", Unreserved, true},
	KContent:          {"content", Unreserved, true},
	KContinue:         {"continue", Unreserved, true},
	KConversion:       {"conversion", Unreserved, true},
	KCopy:             {"copy", Unreserved, true},
	KCost:             {"cost", Unreserved, true},
	KCreate:           {"create", Reserved, false},
	KCross:            {"cross", TypeFunc, true},
	KCsv:              {"csv", Unreserved, true},
	KCube:             {"cube", Unreserved, true},
	KCurrent:          {"current", Unreserved, true},
	KCurrentCatalog:   {"current_catalog", Reserved, true},
	KCurrentDate:      {"current_date", Reserved, true},
	KCurrentRole:      {"current_role", Reserved, true},
	KCurrentSchema:    {"current_schema", TypeFunc, true},
	KCurrentTime:      {"current_time", Reserved, true},
	KCurrentTimestamp: {"current_timestamp", Reserved, true},
	KCurrentUser:      {"current_user", Reserved, true},
	KCursor:           {"cursor", Unreserved, true},
	KCycle:            {"cycle", Unreserved, true},
	KData:             {"data", Unreserved, true},
	KDatabase:         {"database", Unreserved, true},
	KDay:              {"day", Unreserved, false},
	KDeallocate:       {"deallocate", Unreserved, true},
	KDec:              {"dec", ColName, true},
	KDecimal:          {"decimal", ColName, true},
	KDeclare:          {"declare", Unreserved, true},
	KDefault:          {"default", Reserved, true},
	KDefaults:         {"defaults", Unreserved, true},
	KDeferrable:       {"deferrable", Reserved, true},
	KDeferred:         {"deferred", Unreserved, true},
	KDefiner:          {"definer", Unreserved, true},
	KDelete:           {"delete", Unreserved, true},
	KDelimiter:        {"delimiter", Unreserved, true},
	KDelimiters:       {"delimiters", Unreserved, true},
	KDepends:          {"depends", Unreserved, true},
	KDepth:            {"depth", Unreserved, true},
	KDesc:             {"desc", Reserved, true},
	KDetach:           {"detach", Unreserved, true},
	KDictionary:       {"dictionary", Unreserved, true},
	KDisable:          {"disable", Unreserved, true},
	KDiscard:          {"discard", Unreserved, true},
	KDistinct:         {"distinct", Reserved, true},
	KDo:               {"do", Reserved, true},
	KDocument:         {"document", Unreserved, true},
	KDomain:           {"domain", Unreserved, true},
	KDouble:           {"double", Unreserved, true},
	KDrop:             {"drop", Unreserved, true},
	KEach:             {"each", Unreserved, true},
	KElse:             {"else", Reserved, true},
	KEnable:           {"enable", Unreserved, true},
	KEncoding:         {"encoding", Unreserved, true},
	KEncrypted:        {"encrypted", Unreserved, true},
	KEnd:              {"end", Reserved, true},
	KEnum:             {"enum", Unreserved, true},
	KEscape:           {"escape", Unreserved, true},
	KEvent:            {"event", Unreserved, true},
	KExcept:           {"except", Reserved, false},
	KExclude:          {"exclude", Unreserved, true},
	KExcluding:        {"excluding", Unreserved, true},
	KExclusive:        {"exclusive", Unreserved, true},
	KExecute:          {"execute", Unreserved, true},
	KExists:           {"exists", ColName, true},
	KExplain:          {"explain", Unreserved, true},
	KExpression:       {"expression", Unreserved, true},
	KExtension:        {"extension", Unreserved, true},
	KExternal:         {"external", Unreserved, true},
	KExtract:          {"extract", ColName, true},
	KFalse:            {"false", Reserved, true},
	KFamily:           {"family", Unreserved, true},
	KFetch:            {"fetch", Reserved, false},
	KFilter:           {"filter", Unreserved, false},
	KFinalize:         {"finalize", Unreserved, true},
	KFirst:            {"first", Unreserved, true},
	KFloat:            {"float", ColName, true},
	KFollowing:        {"following", Unreserved, true},
	KFor:              {"for", Reserved, false},
	KForce:            {"force", Unreserved, true},
	KForeign:          {"foreign", Reserved, true},
	KForward:          {"forward", Unreserved, true},
	KFreeze:           {"freeze", TypeFunc, true},
	KFrom:             {"from", Reserved, false},
	KFull:             {"full", TypeFunc, true},
	KFunction:         {"function", Unreserved, true},
	KFunctions:        {"functions", Unreserved, true},
	KGenerated:        {"generated", Unreserved, true},
	KGlobal:           {"global", Unreserved, true},
	KGrant:            {"grant", Reserved, false},
	KGranted:          {"granted", Unreserved, true},
	KGreatest:         {"greatest", ColName, true},
	KGroup:            {"group", Reserved, false},
	KGrouping:         {"grouping", ColName, true},
	KGroups:           {"groups", Unreserved, true},
	KHandler:          {"handler", Unreserved, true},
	KHaving:           {"having", Reserved, false},
	KHeader:           {"header", Unreserved, true},
	KHold:             {"hold", Unreserved, true},
	KHour:             {"hour", Unreserved, false},
	KIdentity:         {"identity", Unreserved, true},
	KIf:               {"if", Unreserved, true},
	KIlike:            {"ilike", TypeFunc, true},
	KImmediate:        {"immediate", Unreserved, true},
	KImmutable:        {"immutable", Unreserved, true},
	KImplicit:         {"implicit", Unreserved, true},
	KImport:           {"import", Unreserved, true},
	KIn:               {"in", Reserved, true},
	KInclude:          {"include", Unreserved, true},
	KIncluding:        {"including", Unreserved, true},
	KIncrement:        {"increment", Unreserved, true},
	KIndex:            {"index", Unreserved, true},
	KIndexes:          {"indexes", Unreserved, true},
	KInherit:          {"inherit", Unreserved, true},
	KInherits:         {"inherits", Unreserved, true},
	KInitially:        {"initially", Reserved, true},
	KInline:           {"inline", Unreserved, true},
	KInner:            {"inner", TypeFunc, true},
	KInout:            {"inout", ColName, true},
	KInput:            {"input", Unreserved, true},
	KInsensitive:      {"insensitive", Unreserved, true},
	KInsert:           {"insert", Unreserved, true},
	KInstead:          {"instead", Unreserved, true},
	KInt:              {"int", ColName, true},
	KInteger:          {"integer", ColName, true},
	KIntersect:        {"intersect", Reserved, false},
	KInterval:         {"interval", ColName, true},
	KInto:             {"into", Reserved, false},
	KInvoker:          {"invoker", Unreserved, true},
	KIs:               {"is", TypeFunc, true},
	KIsnull:           {"isnull", TypeFunc, false},
	KIsolation:        {"isolation", Unreserved, true},
	KJoin:             {"join", TypeFunc, true},
	KKey:              {"key", Unreserved, true},
	KLabel:            {"label", Unreserved, true},
	KLanguage:         {"language", Unreserved, true},
	KLarge:            {"large", Unreserved, true},
	KLast:             {"last", Unreserved, true},
	KLateral:          {"lateral", Reserved, true},
	KLeading:          {"leading", Reserved, true},
	KLeakproof:        {"leakproof", Unreserved, true},
	KLeast:            {"least", ColName, true},
	KLeft:             {"left", TypeFunc, true},
	KLevel:            {"level", Unreserved, true},
	KLike:             {"like", TypeFunc, true},
	KLimit:            {"limit", Reserved, false},
	KListen:           {"listen", Unreserved, true},
	KLoad:             {"load", Unreserved, true},
	KLocal:            {"local", Unreserved, true},
	KLocaltime:        {"localtime", Reserved, true},
	KLocaltimestamp:   {"localtimestamp", Reserved, true},
	KLocation:         {"location", Unreserved, true},
	KLock:             {"lock", Unreserved, true},
	KLocked:           {"locked", Unreserved, true},
	KLogged:           {"logged", Unreserved, true},
	KMapping:          {"mapping", Unreserved, true},
	KMatch:            {"match", Unreserved, true},
	KMatched:          {"matched", Unreserved, true},
	KMaterialized:     {"materialized", Unreserved, true},
	KMaxvalue:         {"maxvalue", Unreserved, true},
	KMerge:            {"merge", Unreserved, true},
	KMethod:           {"method", Unreserved, true},
	KMinute:           {"minute", Unreserved, false},
	KMinvalue:         {"minvalue", Unreserved, true},
	KMode:             {"mode", Unreserved, true},
	KMonth:            {"month", Unreserved, false},
	KMove:             {"move", Unreserved, true},
	KName:             {"name", Unreserved, true},
	KNames:            {"names", Unreserved, true},
	KNational:         {"national", ColName, true},
	KNatural:          {"natural", TypeFunc, true},
	KNchar:            {"nchar", ColName, true},
	KNew:              {"new", Unreserved, true},
	KNext:             {"next", Unreserved, true},
	KNfc:              {"nfc", Unreserved, true},
	KNfd:              {"nfd", Unreserved, true},
	KNfkc:             {"nfkc", Unreserved, true},
	KNfkd:             {"nfkd", Unreserved, true},
	KNo:               {"no", Unreserved, true},
	KNone:             {"none", ColName, true},
	KNormalize:        {"normalize", ColName, true},
	KNormalized:       {"normalized", Unreserved, true},
	KNot:              {"not", Reserved, true},
	KNothing:          {"nothing", Unreserved, true},
	KNotify:           {"notify", Unreserved, true},
	KNotnull:          {"notnull", TypeFunc, false},
	KNowait:           {"nowait", Unreserved, true},
	KNull:             {"null", Reserved, true},
	KNullif:           {"nullif", ColName, true},
	KNulls:            {"nulls", Unreserved, true},
	KNumeric:          {"numeric", ColName, true},
	KObject:           {"object", Unreserved, true},
	KOf:               {"of", Unreserved, true},
	KOff:              {"off", Unreserved, true},
	KOffset:           {"offset", Reserved, false},
	KOids:             {"oids", Unreserved, true},
	KOld:              {"old", Unreserved, true},
	KOn:               {"on", Reserved, false},
	KOnly:             {"only", Reserved, true},
	KOperator:         {"operator", Unreserved, true},
	KOption:           {"option", Unreserved, true},
	KOptions:          {"options", Unreserved, true},
	KOr:               {"or", Reserved, true},
	KOrder:            {"order", Reserved, false},
	KOrdinality:       {"ordinality", Unreserved, true},
	KOthers:           {"others", Unreserved, true},
	KOut:              {"out", ColName, true},
	KOuter:            {"outer", TypeFunc, true},
	KOver:             {"over", Unreserved, false},
	KOverlaps:         {"overlaps", TypeFunc, false},
	KOverlay:          {"overlay", ColName, true},
	KOverriding:       {"overriding", Unreserved, true},
	KOwned:            {"owned", Unreserved, true},
	KOwner:            {"owner", Unreserved, true},
	KParallel:         {"parallel", Unreserved, true},
	KParameter:        {"parameter", Unreserved, true},
	KParser:           {"parser", Unreserved, true},
	KPartial:          {"partial", Unreserved, true},
	KPartition:        {"partition", Unreserved, true},
	KPassing:          {"passing", Unreserved, true},
	KPassword:         {"password", Unreserved, true},
	KPlacing:          {"placing", Reserved, true},
	KPlans:            {"plans", Unreserved, true},
	KPolicy:           {"policy", Unreserved, true},
	KPosition:         {"position", ColName, true},
	KPreceding:        {"preceding", Unreserved, true},
	KPrecision:        {"precision", ColName, false},
	KPrepare:          {"prepare", Unreserved, true},
	KPrepared:         {"prepared", Unreserved, true},
	KPreserve:         {"preserve", Unreserved, true},
	KPrimary:          {"primary", Reserved, true},
	KPrior:            {"prior", Unreserved, true},
	KPrivileges:       {"privileges", Unreserved, true},
	KProcedural:       {"procedural", Unreserved, true},
	KProcedure:        {"procedure", Unreserved, true},
	KProcedures:       {"procedures", Unreserved, true},
	KProgram:          {"program", Unreserved, true},
	KPublication:      {"publication", Unreserved, true},
	KQuote:            {"quote", Unreserved, true},
	KRange:            {"range", Unreserved, true},
	KRead:             {"read", Unreserved, true},
	KReal:             {"real", ColName, true},
	KReassign:         {"reassign", Unreserved, true},
	KRecheck:          {"recheck", Unreserved, true},
	KRecursive:        {"recursive", Unreserved, true},
	KRef:              {"ref", Unreserved, true},
	KReferences:       {"references", Reserved, true},
	KReferencing:      {"referencing", Unreserved, true},
	KRefresh:          {"refresh", Unreserved, true},
	KReindex:          {"reindex", Unreserved, true},
	KRelative:         {"relative", Unreserved, true},
	KRelease:          {"release", Unreserved, true},
	KRename:           {"rename", Unreserved, true},
	KRepeatable:       {"repeatable", Unreserved, true},
	KReplace:          {"replace", Unreserved, true},
	KReplica:          {"replica", Unreserved, true},
	KReset:            {"reset", Unreserved, true},
	KRestart:          {"restart", Unreserved, true},
	KRestrict:         {"restrict", Unreserved, true},
	KReturn:           {"return", Unreserved, true},
	KReturning:        {"returning", Reserved, false},
	KReturns:          {"returns", Unreserved, true},
	KRevoke:           {"revoke", Unreserved, true},
	KRight:            {"right", TypeFunc, true},
	KRole:             {"role", Unreserved, true},
	KRollback:         {"rollback", Unreserved, true},
	KRollup:           {"rollup", Unreserved, true},
	KRoutine:          {"routine", Unreserved, true},
	KRoutines:         {"routines", Unreserved, true},
	KRow:              {"row", ColName, true},
	KRows:             {"rows", Unreserved, true},
	KRule:             {"rule", Unreserved, true},
	KSavepoint:        {"savepoint", Unreserved, true},
	KSchema:           {"schema", Unreserved, true},
	KSchemas:          {"schemas", Unreserved, true},
	KScroll:           {"scroll", Unreserved, true},
	KSearch:           {"search", Unreserved, true},
	KSecond:           {"second", Unreserved, false},
	KSecurity:         {"security", Unreserved, true},
	KSelect:           {"select", Reserved, true},
	KSequence:         {"sequence", Unreserved, true},
	KSequences:        {"sequences", Unreserved, true},
	KSerializable:     {"serializable", Unreserved, true},
	KServer:           {"server", Unreserved, true},
	KSession:          {"session", Unreserved, true},
	KSessionUser:      {"session_user", Reserved, true},
	KSet:              {"set", Unreserved, true},
	KSetof:            {"setof", ColName, true},
	KSets:             {"sets", Unreserved, true},
	KShare:            {"share", Unreserved, true},
	KShow:             {"show", Unreserved, true},
	KSimilar:          {"similar", TypeFunc, true},
	KSimple:           {"simple", Unreserved, true},
	KSkip:             {"skip", Unreserved, true},
	KSmallint:         {"smallint", ColName, true},
	KSnapshot:         {"snapshot", Unreserved, true},
	KSome:             {"some", Reserved, true},
	KSql:              {"sql", Unreserved, true},
	KStable:           {"stable", Unreserved, true},
	KStandalone:       {"standalone", Unreserved, true},
	KStart:            {"start", Unreserved, true},
	KStatement:        {"statement", Unreserved, true},
	KStatistics:       {"statistics", Unreserved, true},
	KStdin:            {"stdin", Unreserved, true},
	KStdout:           {"stdout", Unreserved, true},
	KStorage:          {"storage", Unreserved, true},
	KStored:           {"stored", Unreserved, true},
	KStrict:           {"strict", Unreserved, true},
	KStrip:            {"strip", Unreserved, true},
	KSubscription:     {"subscription", Unreserved, true},
	KSubstring:        {"substring", ColName, true},
	KSupport:          {"support", Unreserved, true},
	KSymmetric:        {"symmetric", Reserved, true},
	KSysid:            {"sysid", Unreserved, true},
	KSystem:           {"system", Unreserved, true},
	KTable:            {"table", Reserved, true},
	KTables:           {"tables", Unreserved, true},
	KTablesample:      {"tablesample", TypeFunc, true},
	KTablespace:       {"tablespace", Unreserved, true},
	KTemp:             {"temp", Unreserved, true},
	KTemplate:         {"template", Unreserved, true},
	KTemporary:        {"temporary", Unreserved, true},
	KText:             {"text", Unreserved, true},
	KThen:             {"then", Reserved, true},
	KTies:             {"ties", Unreserved, true},
	KTime:             {"time", ColName, true},
	KTimestamp:        {"timestamp", ColName, true},
	KTo:               {"to", Reserved, false},
	KTrailing:         {"trailing", Reserved, true},
	KTransaction:      {"transaction", Unreserved, true},
	KTransform:        {"transform", Unreserved, true},
	KTreat:            {"treat", ColName, true},
	KTrigger:          {"trigger", Unreserved, true},
	KTrim:             {"trim", ColName, true},
	KTrue:             {"true", Reserved, true},
	KTruncate:         {"truncate", Unreserved, true},
	KTrusted:          {"trusted", Unreserved, true},
	KType:             {"type", Unreserved, true},
	KTypes:            {"types", Unreserved, true},
	KUescape:          {"uescape", Unreserved, true},
	KUnbounded:        {"unbounded", Unreserved, true},
	KUncommitted:      {"uncommitted", Unreserved, true},
	KUnencrypted:      {"unencrypted", Unreserved, true},
	KUnion:            {"union", Reserved, false},
	KUnique:           {"unique", Reserved, true},
	KUnknown:          {"unknown", Unreserved, true},
	KUnlisten:         {"unlisten", Unreserved, true},
	KUnlogged:         {"unlogged", Unreserved, true},
	KUntil:            {"until", Unreserved, true},
	KUpdate:           {"update", Unreserved, true},
	KUser:             {"user", Reserved, true},
	KUsing:            {"using", Reserved, true},
	KVacuum:           {"vacuum", Unreserved, true},
	KValid:            {"valid", Unreserved, true},
	KValidate:         {"validate", Unreserved, true},
	KValidator:        {"validator", Unreserved, true},
	KValue:            {"value", Unreserved, true},
	KValues:           {"values", ColName, true},
	KVarchar:          {"varchar", ColName, true},
	KVariadic:         {"variadic", Reserved, true},
	KVarying:          {"varying", Unreserved, false},
	KVerbose:          {"verbose", TypeFunc, true},
	KVersion:          {"version", Unreserved, true},
	KView:             {"view", Unreserved, true},
	KViews:            {"views", Unreserved, true},
	KVolatile:         {"volatile", Unreserved, true},
	KWhen:             {"when", Reserved, true},
	KWhere:            {"where", Reserved, false},
	KWhitespace:       {"whitespace", Unreserved, true},
	KWindow:           {"window", Reserved, false},
	KWith:             {"with", Reserved, false},
	KWithin:           {"within", Unreserved, false},
	KWithout:          {"without", Unreserved, false},
	KWork:             {"work", Unreserved, true},
	KWrapper:          {"wrapper", Unreserved, true},
	KWrite:            {"write", Unreserved, true},
	KXml:              {"xml", Unreserved, true},
	KXmlattributes:    {"xmlattributes", ColName, true},
	KXmlconcat:        {"xmlconcat", ColName, true},
	KXmlelement:       {"xmlelement", ColName, true},
	KXmlexists:        {"xmlexists", ColName, true},
	KXmlforest:        {"xmlforest", ColName, true},
	KXmlnamespaces:    {"xmlnamespaces", ColName, true},
	KXmlparse:         {"xmlparse", ColName, true},
	KXmlpi:            {"xmlpi", ColName, true},
	KXmlroot:          {"xmlroot", ColName, true},
	KXmlserialize:     {"xmlserialize", ColName, true},
	KXmltable:         {"xmltable", ColName, true},
	KYear:             {"year", Unreserved, false},
	KYes:              {"yes", Unreserved, true},
	KZone:             {"zone", Unreserved, true},
}
