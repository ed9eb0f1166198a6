// Package detachedctx finds.
//
// More.
package detachedctx
