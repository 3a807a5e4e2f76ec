cost = 'x'
