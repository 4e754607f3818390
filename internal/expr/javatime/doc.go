// Package javatime reads and writes timestamps by the patterns of Java's SimpleDateFormat,
// which Phoenix's TO_DATE and TO_CHAR take. Function kernels call it; it calls Go's time.
//
//	yyyy-MM-dd HH:mm:ss.SSS    2024-01-02 03:04:05.678
//	dd/MM/yy hh:mm a           02/01/24 03:04 AM
//
// testdata/record/Record.java prints what the tests compare with.
//
// It must never take a letter for what it does not mean: those that it does not know are
// 0A000.
package javatime
