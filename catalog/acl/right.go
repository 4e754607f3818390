package acl

import (
	"math/bits"
	"strings"
)

// Right is a set of rights.
type Right uint16

// The rights, in the order in which lists print them.
const (
	Insert Right = 1 << iota
	Select
	Update
	Delete
	Truncate
	References
	Trigger
	Execute
	Usage
	Create
	Temporary
	Connect
	Set
	AlterSystem

	None Right = 0
)

// letters are those of aclitem, one for each right.
const letters = "arwdDxtXUCTcsA"

var words = []string{"insert", "select", "update", "delete", "truncate", "references", "trigger", "execute", "usage",
	"create", "temporary", "connect", "set", "alter system"}

// Named gives the right of a word in lower case; None for another word.
func Named(word string) Right {
	if word == "temp" {
		return Temporary
	}
	for i, w := range words {
		if w == word {
			return 1 << i
		}
	}
	return None
}

// Each lists the single rights of r.
func (r Right) Each() []Right {
	var list []Right
	for i := range words {
		if b := Right(1) << i; r&b != 0 {
			list = append(list, b)
		}
	}
	return list
}

// Word is the name of a single right in capital letters.
func (r Right) Word() string { return strings.ToUpper(words[bits.TrailingZeros16(uint16(r))]) }

// Kind is what a list is of, by the letter of pg_default_acl and acldefault.
type Kind byte

// The kinds of objects that have lists.
const (
	Column   Kind = 'c'
	Table    Kind = 'r' // and views
	Sequence Kind = 's'
	Schema   Kind = 'n'
	Database Kind = 'd'
	Type     Kind = 'T' // and domains
)

// All are the rights that there are on a kind of object.
func (k Kind) All() Right {
	switch k {
	case Column:
		return Insert | Select | Update | References
	case Table:
		return Insert | Select | Update | Delete | Truncate | References | Trigger
	case Sequence:
		return Usage | Select | Update
	case Schema:
		return Usage | Create
	case Database:
		return Create | Temporary | Connect
	case Type:
		return Usage
	}
	return None
}
