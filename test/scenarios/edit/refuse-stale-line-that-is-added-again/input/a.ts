def f(
    text: str,
    *,
    source: str = 'x',
    data: int = 0,
    last: int,
):
