	if stream {
		command.Stream()
	}
	output := command.Run()
	return output
