msg = "hello"
print(msg, 'a')
exit(0)
