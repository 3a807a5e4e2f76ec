def f():
    a.validator = Mock(
        message,
        kind='validator',
    )
    a.legacy = Mock(
        message,
        kind='serializer',
    )


def g():
    a.validator = Mock(
        message,
        kind='validator',
    )
    a.serializer = Mock(
        message,
        kind='serializer',
    )
