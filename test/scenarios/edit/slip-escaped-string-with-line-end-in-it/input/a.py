print("a\nb")
done()
