x := []string{
		"a",
		"b"
		]
  	}
