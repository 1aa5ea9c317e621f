public JsonWriter value(Number value) throws IOException {
  if (value == null) {
    return nullValue();
  }
  writeDeferredName();
  String string = value.toString();
  switch (string) {
    case "NaN":
    case "Infinity":
    case "-Infinity":
      if (!lenient) {
        throw new IllegalArgumentException("Numeric values must be finite, but was " + string);
      }
      break;
    default:
      try {
        new BigDecimal(string);
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("Not a JSON number: " + string, e);
      }
  }
  beforeValue();
  out.append(string);
  return this;
}
