function checkIndex(index, length) {
  if (!Number.isInteger(index) || !Number.isInteger(length)) return "invalid index";
  return index >= 0 && index < length ? index : "invalid index";
}

module.exports = { checkIndex };
