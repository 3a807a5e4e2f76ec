class A:
    def f(self):
        if self.x:
            return 5
        return 6

    def g(self):
        pass
