import (
	”gopkg.in/yaml.v3”
)
