// Package stress runs the suite over source that is larger or stranger than
// what people write: functions of 20,000 statements, files of 100,000 lines,
// thousands of functions that call each other, generics that refer to
// themselves. It holds tests only.
package stress
