// Package identity is whom a session acts for, and what that one may do and see.
//
//	login    who connected            Admit
//	  '--> session  SET SESSION AUTHORIZATION
//	         '--> current  SET ROLE   Find: looked up in a snapshot of the catalog
//
//	a plan's rights    MayRun          what an error shows   Hide, ShownColumns
//	names and schemas  Looking, SearchPath, Path
//	SET ROLE           Become          LOCK TABLE            MayLock
//	others' sessions   MaySignal       an object's owner     Owns, SequenceRight
//
// The session asks it before it plans, runs, and tells of what failed; it asks the catalog.
// An Identity is good for the snapshot and the settings that it was found under: the session
// finds it anew when either has changed.
//
// It must never change a role or a setting, nor look at another snapshot than its own.
package identity
