// Package fixes has comments that silence nothing.
package fixes

func lineEnd() int {
	return 1 //nolint:statusupdate // want `statusupdate finds nothing here`
}

func above() int {
	//lint:ignore statusupdate because // want `statusupdate finds nothing here`
	return 1
}

func doc() int {
	return 1 //nolint:statusupdate,errcheck // want `statusupdate finds nothing here`
}

func last() int {
	return 1 //nolint:errcheck, statusupdate // want `statusupdate finds nothing here`
}

func middle() int {
	return 1 //nolint:errcheck,opvet/statusupdate,unused // want `statusupdate finds nothing here`
}

func misspelt() int {
	return 1 //nolint:errcheck,opvet/statusupdat // want `named statusupdat; statusupdate is`
}

func between() int {
	n := 1
	//nolint:ctxdone // want `ctxdone finds nothing here`
	// Another comment.
	return n
}
