func f() {
	a()
	if x {
		b()
	}
	c()
}
