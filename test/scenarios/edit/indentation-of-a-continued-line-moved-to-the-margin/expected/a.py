void f(void)
{
	call(a,
	    b);
	emit(x, "retained", &retained);
	emit(x, "zero",
	    &zero);

	done();
}
