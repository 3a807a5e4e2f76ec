func f() {
		return wait(loading, func() error {
			return refreshOld(
				options{
					commits,
				})
}

func g() {
	return wait(loading, func() error {
		return refresh(
			options{mode, views},
		)
}
