a = "one"
b = "two"
