foo("a", b)
bar()
