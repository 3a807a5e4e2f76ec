class A:
    def f(self):
        if self.x:
            self.y = 1
            return 1
        return 2

    def g(self):
        pass
