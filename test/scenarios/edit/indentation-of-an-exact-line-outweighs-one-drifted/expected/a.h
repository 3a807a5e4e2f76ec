/*
  ** Id: lua.h
** $
x
