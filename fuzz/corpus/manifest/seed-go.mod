module x
ÿmodule x
require (
	a/b v1 // indirect
)
replace a/b => ../b
