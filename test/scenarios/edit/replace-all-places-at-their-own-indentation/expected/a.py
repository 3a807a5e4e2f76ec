if a:
    x = 1
    y = 3
else:
        x = 1
        y = 3
