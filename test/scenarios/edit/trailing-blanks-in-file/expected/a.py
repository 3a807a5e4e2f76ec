def f():   
    return 1	

y = 2
