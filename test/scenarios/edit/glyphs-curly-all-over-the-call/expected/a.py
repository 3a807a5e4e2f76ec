msg = "hello"
print(msg, 'a', "b")
exit(0)
