class A:
    def f(self):
        if self.x:
            for y in z:
                return 1
        return 2

    def g(self):
        pass
