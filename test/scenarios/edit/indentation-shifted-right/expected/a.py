class A:
    def f(self):
        if self.x:
            return 1
        else:
            return 2

    def g(self):
        pass
