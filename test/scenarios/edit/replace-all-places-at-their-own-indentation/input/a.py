if a:
    x = 1
    y = 2
else:
        x = 1
        y = 2
