// Package nestedtimeout finds deadlines that do not do what they say.
//
// To be written.
package nestedtimeout
