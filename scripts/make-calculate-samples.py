#!/usr/bin/env python3
"""Makes test/samples/calculate.json: expressions with their values as Python's fractions and decimal know them.

Run it in development: scripts/make-calculate-samples.py > test/samples/calculate.json
"""
import json
import random
from decimal import Decimal, getcontext
from fractions import Fraction
from math import comb, factorial, gcd

random.seed(20261115)
getcontext().prec = 60


def literal():
    kind = random.random()
    if kind < 0.4:
        value = random.randrange(0, 1000)
        return str(value), Fraction(value)
    if kind < 0.55:
        value = random.randrange(0, 10 ** random.randrange(1, 40))
        return str(value), Fraction(value)
    if kind < 0.85:
        text = f"{random.randrange(0, 1000)}.{random.randrange(0, 10 ** random.randrange(1, 9))}"
        return text, Fraction(text)
    if kind < 0.93:
        text = f"{random.randrange(1, 100)}e{random.randrange(-12, 12)}"
        return text, Fraction(text)
    value = random.randrange(0, 2**40)
    return random.choice([hex, bin, oct])(value), Fraction(value)


def expression(depth):
    """Text, value, and how tightly its outermost operator binds."""
    if depth == 0 or random.random() < 0.15:
        return (*literal(), 5)
    operator = random.choice(["+", "-", "*", "/", "%", "mod", "^", "neg", "abs", "floor", "min"])
    left, a, la = expression(depth - 1)
    if operator == "neg":
        return f"-{wrap(left, la, 4)}", -a, 3
    if operator == "abs":
        return f"abs({left})", abs(a), 5
    if operator == "floor":
        return f"floor({left})", Fraction(a // 1), 5
    if operator == "^":
        power = random.randrange(-3, 6)
        if a == 0:
            power = abs(power)
        return f"{wrap(left, la, 5)} ^ {power}", a**power, 4
    right, b, rb = expression(depth - 1)
    if operator == "min":
        return f"min({left}, {right})", min(a, b), 5
    if operator in ("/", "%", "mod") and b == 0:
        operator = "+"
    if operator == "+":
        return f"{wrap(left, la, 1)} + {wrap(right, rb, 2)}", a + b, 1
    if operator == "-":
        return f"{wrap(left, la, 1)} - {wrap(right, rb, 2)}", a - b, 1
    if operator == "*":
        return f"{wrap(left, la, 2)}*{wrap(right, rb, 3)}", a * b, 2
    if operator == "/":
        return f"{wrap(left, la, 2)}/{wrap(right, rb, 3)}", a / b, 2
    if operator == "mod":
        return f"{wrap(left, la, 2)} mod {wrap(right, rb, 3)}", a - b * (a // b), 2
    truncated = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return f"{wrap(left, la, 2)} % {wrap(right, rb, 3)}", a - b * truncated, 2


def wrap(text, binds, needed):
    return text if binds >= needed else f"({text})"


def exact():
    found = {}
    while len(found) < 400:
        text, value, _ = expression(random.randrange(1, 5))
        if value.denominator.bit_length() < 2000 and value.numerator.bit_length() < 4000 and len(text) < 300:
            found[text] = [str(value.numerator), str(value.denominator)]
    for n in (0, 1, 20, 100, 500):
        found[f"{n}!"] = [str(factorial(n)), "1"]
    for n, k in ((52, 5), (100, 50), (10, 0), (7, 9)):
        found[f"choose({n}, {k})"] = [str(comb(n, k)), "1"]
    for a, b in ((12, 18), (2**89 - 1, 2**61 - 1), (10**40, 6**30)):
        found[f"gcd({a}, {b})"] = [str(gcd(a, b)), "1"]
    return found


def rounded():
    """What decimal says with 60 digits, to 21."""
    found = {}
    for _ in range(60):
        x = Decimal(random.randrange(1, 10**12)) / 10 ** random.randrange(0, 12)
        found[f"sqrt({x:f})"] = x.sqrt()
        found[f"ln({x:f})"] = x.ln()
        found[f"log({x:f})"] = x.log10()
        y = Decimal(random.randrange(-4000, 4000)) / 100
        found[f"exp({y})"] = y.exp()
        z = Decimal(random.randrange(1, 500)) / 100
        found[f"{z} ^ {y}"] = z**y
        rate, count = Decimal(random.randrange(1, 99999)) / 10**7, random.randrange(1000, 200000)
        if count * rate < 500:
            found[f"(1 + {rate:f}) ^ {count}"] = (1 + rate) ** count
    return {text: f"{value:.20e}" for text, value in found.items() if value != 0}


print(json.dumps({"exact": exact(), "rounded": rounded()}, indent=1))
