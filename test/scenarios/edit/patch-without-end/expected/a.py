import os

def load(path):
    with open(path) as file:
        return file.read().strip()

def save(path, text):
    with open(path, 'w') as file:
        file.write(text)
    return True

print(load('a'))
