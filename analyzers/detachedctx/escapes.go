package detachedctx

func (c *checker) escapes() {}
