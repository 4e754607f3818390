package statements

import "strings"

// Kind is what a statement is, for metrics: a short list, whatever users write.
type Kind uint8

// The kinds of statements.
const (
	Select Kind = iota
	Insert      // UPSERT too
	Update
	Delete
	Copy
	DDL
	Transaction
	Other
	kinds
)

var kindNames = [kinds]string{"select", "insert", "update", "delete", "copy", "ddl", "transaction", "other"}

func (k Kind) String() string { return kindNames[k] }

// KindOf tells a statement's kind by its command tag, or its first word.
func KindOf(tag string) Kind {
	word, _, _ := strings.Cut(tag, " ")
	switch strings.ToUpper(word) {
	case "SELECT", "WITH", "VALUES", "TABLE", "EXPLAIN", "SHOW", "FETCH":
		return Select
	case "INSERT", "UPSERT":
		return Insert
	case "UPDATE":
		return Update
	case "DELETE":
		return Delete
	case "COPY":
		return Copy
	case "CREATE", "ALTER", "DROP", "TRUNCATE", "COMMENT", "GRANT", "REVOKE":
		return DDL
	case "BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "SAVEPOINT", "RELEASE":
		return Transaction
	}
	return Other
}
