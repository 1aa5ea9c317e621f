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
  } else if (!value.getClass().getName().startsWith("java.")
      && !value.getClass().getName().startsWith("com.google.gson.")
      && !string.matches("-?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?")) {
    throw new IllegalArgumentException("Not a JSON number: " + string);
  }
  beforeValue();
  out.append(string);
  return this;
}
