// Package cachemutation finds objects of an informer's cache that are changed.
//
// To be written.
package cachemutation
