import os

class A:
    def load(self):
        x = 1
        return x

    def save(self):
        y = 2
        return y
