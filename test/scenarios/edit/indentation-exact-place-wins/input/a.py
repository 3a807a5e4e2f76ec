if a:
    go()
while b:
        go()
