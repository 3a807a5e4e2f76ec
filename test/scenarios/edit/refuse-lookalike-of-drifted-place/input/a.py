def one(a):
    check(a)
    return a + 1
    # one

def two(a):
    check(a)
    return a
    # one
