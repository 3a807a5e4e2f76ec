if a:
    go()
    stop()
while b:
        go()
        stop()
