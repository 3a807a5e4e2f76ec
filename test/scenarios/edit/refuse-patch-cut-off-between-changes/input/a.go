package a

import (
	"net"
	"sync"
)

func f() {
	a()
	b()
	c()
}
