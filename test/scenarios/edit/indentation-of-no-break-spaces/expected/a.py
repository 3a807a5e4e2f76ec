import os

class A:
    def load(self):
        x = 2
        if x:
            x = 5
        return x

    def save(self):
        y = 2
        return y
