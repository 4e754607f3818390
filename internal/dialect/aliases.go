package dialect

import "github.com/saltsql/saltsql/internal/dialect/tree"

// The names of the tree by which the session still calls it.
type (
	AlterAction     = tree.AlterAction
	AlterSchema     = tree.AlterSchema
	AlterTable      = tree.AlterTable
	Analyze         = tree.Analyze
	Begin           = tree.Begin
	Check           = tree.Check
	Checkpoint      = tree.Checkpoint
	CloseCursor     = tree.CloseCursor
	ColumnDef       = tree.ColumnDef
	Comment         = tree.Comment
	Commit          = tree.Commit
	Copy            = tree.Copy
	CreateIndex     = tree.CreateIndex
	CreateSchema    = tree.CreateSchema
	CreateSequence  = tree.CreateSequence
	CreateTable     = tree.CreateTable
	CreateTableAs   = tree.CreateTableAs
	CreateView      = tree.CreateView
	Deallocate      = tree.Deallocate
	DeclareCursor   = tree.DeclareCursor
	Discard         = tree.Discard
	Drop            = tree.Drop
	Execute         = tree.Execute
	Explain         = tree.Explain
	Fetch           = tree.Fetch
	Grant           = tree.Grant
	KeyConstraint   = tree.KeyConstraint
	Listen          = tree.Listen
	LockTable       = tree.LockTable
	Name            = tree.Name
	Notify          = tree.Notify
	Option          = tree.Option
	Prepare         = tree.Prepare
	Release         = tree.Release
	Reset           = tree.Reset
	Rollback        = tree.Rollback
	RollbackTo      = tree.RollbackTo
	Savepoint       = tree.Savepoint
	SequenceOption  = tree.SequenceOption
	Set             = tree.Set
	SetConstraints  = tree.SetConstraints
	SetTransaction  = tree.SetTransaction
	Show            = tree.Show
	ShowCreateTable = tree.ShowCreateTable
	Statement       = tree.Statement
	Truncate        = tree.Truncate
	TwoPhase        = tree.TwoPhase
	TxModes         = tree.TxModes
	TypeName        = tree.TypeName
	Unlisten        = tree.Unlisten
	Unsupported     = tree.Unsupported
	UseSchema       = tree.UseSchema
	Utility         = tree.Utility
	Vacuum          = tree.Vacuum
	Expr            = tree.SourceExpr
)

// The kinds, likewise.
const (
	AddColumn        = tree.AddColumn
	AddConstraint    = tree.AddConstraint
	AlterType        = tree.AlterType
	DropColumn       = tree.DropColumn
	DropConstraint   = tree.DropConstraint
	DropDefault      = tree.DropDefault
	DropIdentity     = tree.DropIdentity
	DropNotNull      = tree.DropNotNull
	FetchForward     = tree.FetchForward
	FetchRelative    = tree.FetchRelative
	OwnerTo          = tree.OwnerTo
	RenameColumn     = tree.RenameColumn
	RenameConstraint = tree.RenameConstraint
	RenameTable      = tree.RenameTable
	ResetOptions     = tree.ResetOptions
	SequenceAct      = tree.SequenceAct
	SetDefault       = tree.SetDefault
	SetIdentity      = tree.SetIdentity
	SetLocal         = tree.SetLocal
	SetNotNull       = tree.SetNotNull
	SetOptions       = tree.SetOptions
	SetSchema        = tree.SetSchema
)
