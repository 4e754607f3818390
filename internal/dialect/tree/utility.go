package tree

// Utility is a statement other than a query or DML. Tag is its name in capital
// letters ("CREATE TABLE"), as in command tags and messages.
type Utility interface{ Tag() string }

// Unsupported is a statement of Postgres that is recognised by its command
// words and not read further: the session refuses it with 0A000, naming
// Command ("CREATE EXTENSION").
type Unsupported struct {
	Command string
	Name    string // the object's name where it follows at once
	Pos     int
}

func (u *Unsupported) Tag() string { return u.Command }
