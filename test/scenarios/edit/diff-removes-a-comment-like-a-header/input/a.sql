-- old comment
x
