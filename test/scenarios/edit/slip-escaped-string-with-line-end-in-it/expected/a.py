print("a\tb")
done()
