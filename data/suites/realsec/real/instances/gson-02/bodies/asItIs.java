public JsonWriter value(Number value) throws IOException {
  if (value == null) {
    return nullValue();
  }
  writeDeferredName();
  String string = value.toString();
  if (string.equals("-Infinity") || string.equals("Infinity") || string.equals("NaN")) {
    if (!lenient) {
      throw new IllegalArgumentException("Numeric values must be finite, but was " + string);
    }
  }
  beforeValue();
  out.append(string);
  return this;
}
