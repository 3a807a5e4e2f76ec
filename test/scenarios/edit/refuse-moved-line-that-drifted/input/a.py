on: push
jobs:
  repo_legacy:
    runs: x
