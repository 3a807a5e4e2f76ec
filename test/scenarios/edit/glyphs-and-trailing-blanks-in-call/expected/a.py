foo("a", c)
bar()
