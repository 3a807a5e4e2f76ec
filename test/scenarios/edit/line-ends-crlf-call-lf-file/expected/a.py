import os

def load(path):
    with open(path) as file:
        text = file.read()
        return text

def save(path, text):
    with open(path, 'w') as file:
        file.write(text)
    return True

print(load('a'))
