class A:
    def f(self):
        if self.x:
            return 10
        return 20

    def g(self):
        pass
