x(`
    [E: [
      {
        "origin": "array",
        "code": "big",
        "max": 2,
        "path": [],
      }
