func f() {
	a()
	b()
	c()
}
