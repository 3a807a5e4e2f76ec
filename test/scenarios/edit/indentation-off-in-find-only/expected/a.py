class A:
    def f(self):
        if self.x:
            return 1
        return 3

    def g(self):
        pass
