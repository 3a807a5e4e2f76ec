package main

func main() {
	for i := 0; i < 3; i++ {
		println(i + 1)
		done()
	}
}

func other() {
	println("other")
}
