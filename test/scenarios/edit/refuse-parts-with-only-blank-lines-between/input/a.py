import (
	"os"
	"testing"

	"example.com/common/model"
	"example.com/testify/require"

	"example.com/discovery/targetgroup"
)
