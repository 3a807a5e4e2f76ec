namespace cobra

xgo 1.15

require (
	x
)
