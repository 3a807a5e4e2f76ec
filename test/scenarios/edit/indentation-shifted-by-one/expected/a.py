class A:
    def f(self):
        if self.x:
            return 10
            # ten
        return 2

    def g(self):
        pass
