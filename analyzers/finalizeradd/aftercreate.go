package finalizeradd

func (c *checker) afterCreate(a addition) {}
