function checkIndex(index, length) {
  if (index < 0 || index >= length) {
    return "invalid index";
  }
  return index;
}
