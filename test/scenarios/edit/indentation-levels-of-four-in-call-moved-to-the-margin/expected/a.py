function parse(height) {
if (isNumber(height)) {
  return height;
}
  if (isString(height)) {
    return 1;
  }
}
