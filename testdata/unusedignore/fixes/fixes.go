// Package fixes has comments that silence nothing.
package fixes

func lineEnd() int {
	return 1 //nolint:statusupdate // want `^hygiene: this comment hides the next mistake here, since statusupdate finds nothing now.*unusedignore/unused`
}

func above() int {
	//lint:ignore statusupdate because // want `^hygiene: this comment hides the next mistake here, since statusupdate finds nothing now.*unusedignore/unused`
	return 1
}

func doc() int {
	return 1 //nolint:statusupdate,errcheck // want `^hygiene: this comment hides the next mistake here, since statusupdate finds nothing now.*unusedignore/unused`
}

func last() int {
	return 1 //nolint:errcheck, statusupdate // want `^hygiene: this comment hides the next mistake here, since statusupdate finds nothing now.*unusedignore/unused`
}

func middle() int {
	return 1 //nolint:errcheck,opvet/statusupdate,unused // want `^hygiene: this comment hides the next mistake here, since statusupdate finds nothing now.*unusedignore/unused`
}

func misspelt() int {
	return 1 //nolint:errcheck,opvet/statusupdat // want `^hygiene: this comment silences nothing: no analyzer, group or category is named statusupdat.*unusedignore/unknown`
}

func between() int {
	n := 1
	//nolint:ctxdone // want `^hygiene: this comment hides the next mistake here, since ctxdone finds nothing now.*unusedignore/unused`
	// Another comment.
	return n
}
