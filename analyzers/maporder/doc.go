// Package maporder says here, in one sentence for godoc, what it finds.
//
// Describe what goes wrong in production: what the author expected, what the
// cluster does instead, and who notices when.
//
// # into-object
//
// Say what this category finds, and show it:
//
//	err := c.Update(ctx, backup) // what happens here
//
// Then the remedy, as code as well.
//
// # Limits
//
// Say what the analyzer does not see, and what it takes for granted.
//
// # Silencing
//
// A finding that is wrong for reasons that the analyzer cannot see is silenced
// with a comment on its line: //nolint:maporder // reason. Please report
// it, too.
package maporder
