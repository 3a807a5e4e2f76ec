def one(a):
    check(a)
    return a

def two(a):
    check(a)
    return a
