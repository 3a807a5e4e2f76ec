class A:
    def f(self):
        if self.x:
            while True:
                return 1
        return 2

    def g(self):
        pass
