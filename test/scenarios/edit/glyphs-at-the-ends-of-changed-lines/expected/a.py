import (
	”go.yaml.in/yaml/v3”
)
