if a:
    stop()
while b:
        go()
