import os

def load(path):
    with open(path) as file:
        return file.read()

def save(path, text):
    check(path)
    with open(path, 'w') as file:
        file.write(text)
    return True

print(load('a'))
