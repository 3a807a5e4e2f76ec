/*
  ** Id: lua.h
x
