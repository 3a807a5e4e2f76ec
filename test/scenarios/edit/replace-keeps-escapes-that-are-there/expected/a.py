print("a\tb")
print('c')
