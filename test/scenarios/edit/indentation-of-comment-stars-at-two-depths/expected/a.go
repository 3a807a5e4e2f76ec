class A {

	/**
	 * Makes one.
	 */
	ctor( b ) {

		/**
		 * A ref.
		 */
		this.b = b;

		this.m = null;

	}
}
