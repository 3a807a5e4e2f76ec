def f():
    if x:
        return 1

def g():
    return 2
