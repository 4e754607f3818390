// Package poison makes use after reuse visible: memory that is emptied for
// another use is overwritten at once, so that whoever still reads it sees
// wrong bytes then and there, and not once in a million statements.
//
//	RowBatch, arenas of rowcodec, vec.Buf, scratch of exec, messages received
//	      '-- emptied --> poison.Bytes --> DB DB DB …
//	slots of a vector
//	      '-- Resize  --> values that nobody put there
//
// It is off unless the environment variable SALTSQL_POISON is set when the
// process starts. Tests run with it on; it costs time and changes no answer.
//
// Any package may import it; it imports nothing of this module.
package poison
