func f() {
	e.lock()
	d := e.x
	e.unlock()

	if !ok {
	}
}
