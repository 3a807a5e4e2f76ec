x(`
    [E: [
      {
        "code": "big",
        "max": 2,
        "origin": "array",
        "path": [],
      }
