// Package unusedignore defines the analyzer of suppression comments.
//
// A comment that silences a finding outlives it: the code is mended or moved,
// the comment stays, and silences the next mistake on that line, which is
// then a real one. A comment with a misspelt name silences nothing, and whoever
// wrote it takes the finding that stays for a bug of the linter.
//
// The analyzer judges the comments that are about this suite, in any of the
// forms that it honours, and leaves those of other linters alone:
//
//	//nolint:opvet
//	//nolint:statusupdate
//	//nolint:statusupdate/dropped-by-update
//	//nolint:status
//	//lint:ignore statusupdate reason
//	//lint:file-ignore statusupdate reason
//
// A plain //nolint and //nolint:all are for all linters; it says nothing about them.
// In golangci-lint it leaves //nolint:opvet to the linter nolintlint, which reports
// unused ones if its setting allow-unused is false.
//
// # unused
//
// The comment, or one of the names in it, silences nothing. Whether an
// analyzer is switched on makes no difference: what counts is what it would
// find. The fix removes the name, or the comment if no name is left.
//
//	r.Status().Update(ctx, backup) //nolint:statusupdate // silences nothing
//
// An analyzer may find something only with its strict flag or with other build
// tags; a comment for these is reported by runs without them.
//
// # unknown
//
// The name is nearly that of an analyzer, a group or a category, is the beginning of
// a category, or begins with opvet/ or with an analyzer and a slash, and there is
// no such. The fix corrects it where one name is near.
//
//	r.Update(ctx, backup) //nolint:statusupdates // there is no such analyzer
//
// # misplaced
//
// The comment stands at the cause of a finding, which the message mentions as a
// related place. It has to stand where the finding is reported.
//
//	backup.Status.Phase = "Done" //nolint:statusupdate // silences nothing here
//	return r.Update(ctx, backup) // the finding is here
//
// # malformed
//
// The comment does not count, since //lint:ignore has no reason after the name, or a
// space before it.
//
//	//lint:ignore statusupdate
//	r.Update(ctx, backup)
package unusedignore
