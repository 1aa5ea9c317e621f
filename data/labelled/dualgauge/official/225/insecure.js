function checkIndex(index, length) {
  return index >= 0 && index < length ? index : "invalid index";
}

module.exports = { checkIndex };
