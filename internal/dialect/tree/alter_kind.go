package tree

// AlterKind is the kind of one action of ALTER TABLE.
type AlterKind uint8

// The actions of ALTER TABLE.
const (
	AddColumn AlterKind = iota + 1
	DropColumn
	RenameColumn
	RenameTable
	SetSchema
	AlterType
	SetDefault
	DropDefault
	SetNotNull
	DropNotNull
	AddConstraint
	DropConstraint
	RenameConstraint
	ValidateConstraint
	SetOptions     // SET (a = b), Phoenix's SET a = b
	ResetOptions   // RESET (a)
	CompactSalt    // COMPACT SALT
	AddIdentity    // ALTER COLUMN c ADD GENERATED …
	SetIdentity    // ALTER COLUMN c SET GENERATED …
	DropIdentity   // ALTER COLUMN c DROP IDENTITY
	DropExpression // ALTER COLUMN c DROP EXPRESSION
	OwnerTo        // OWNER TO role
	SequenceAct    // ALTER SEQUENCE's options
	AsItIs         // what every table is: Text, as DISABLE TRIGGER ALL
	OfNone         // of a thing that no table has: Text, as DISABLE TRIGGER, and its name
)

var alterKindNames = [...]string{
	AddColumn:          "add column",
	DropColumn:         "drop column",
	RenameColumn:       "rename column",
	RenameTable:        "rename table",
	SetSchema:          "set schema",
	AlterType:          "alter type",
	SetDefault:         "set default",
	DropDefault:        "drop default",
	SetNotNull:         "set not null",
	DropNotNull:        "drop not null",
	AddConstraint:      "add constraint",
	DropConstraint:     "drop constraint",
	RenameConstraint:   "rename constraint",
	ValidateConstraint: "validate constraint",
	SetOptions:         "set options",
	ResetOptions:       "reset options",
	CompactSalt:        "compact salt",
	AddIdentity:        "add identity",
	SetIdentity:        "set identity",
	DropIdentity:       "drop identity",
	DropExpression:     "drop expression",
	OwnerTo:            "owner to",
	SequenceAct:        "sequence options",
	AsItIs:             "as it is",
	OfNone:             "of none",
}

// String names the action, for messages: "drop column".
func (k AlterKind) String() string { return alterKindNames[k] }
