class A:
    def f(self):
        if self.x:
            self.y = 0
            return 1
        return 3

    def g(self):
        pass
