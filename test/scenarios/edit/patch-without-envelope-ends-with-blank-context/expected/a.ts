a();

	assert_false(init(&mq), "x");
	next();

b();

	expect_false(init(&mq), "x");

c();
