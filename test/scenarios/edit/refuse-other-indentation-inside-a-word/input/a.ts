package a

    ximport (
    	"net/http"
    	"time"
