class A {

	ctor( b ) {

		this.b = b;

		this.m = null;

	}
}
