jobs:
  lint:
    steps:
      - name: Go
        uses: setup-go
        with:  
          version: 1
