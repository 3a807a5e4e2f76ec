a();

	assert_false(init(&mq), "x");
	next();

b();

	assert_false(init(&mq), "x");

c();
