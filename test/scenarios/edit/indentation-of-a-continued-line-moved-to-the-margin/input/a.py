void f(void)
{
	call(a,
	    b);
	emit(x, "retained", &retained);

	done();
}
