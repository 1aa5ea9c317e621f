public JsonWriter value(Number value) throws IOException {
  if (value == null) {
    return nullValue();
  }
  writeDeferredName();
  String string = value.toString();
  if (!string.matches("-?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?")) {
    throw new IllegalArgumentException("Numeric values must be finite, but was " + string);
  }
  beforeValue();
  out.append(string);
  return this;
}
