x := []string{
		"a",
		"b"
	]
  	}
