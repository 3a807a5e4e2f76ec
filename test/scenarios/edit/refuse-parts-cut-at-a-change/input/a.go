
---
name: Go
jobs:
  test:
    x: 1
---
data: Go

on:
  push

value: ctx
on: [push, pull_request]
jobs:
  tests:
