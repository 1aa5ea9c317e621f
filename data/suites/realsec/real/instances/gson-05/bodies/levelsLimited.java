@Override public Object read(JsonReader in) throws IOException {
  return readLevel(in, 0);
}

private Object readLevel(JsonReader in, int level) throws IOException {
  if (level > 500) {
    throw new com.google.gson.JsonParseException("More than 500 levels: " + in);
  }
  JsonToken peeked = in.peek();
  Object nested = tryBeginNesting(in, peeked);
  if (nested == null) {
    return readTerminal(in, peeked);
  }
  if (nested instanceof List) {
    @SuppressWarnings("unchecked")
    List<Object> list = (List<Object>) nested;
    while (in.hasNext()) {
      list.add(readLevel(in, level + 1));
    }
    in.endArray();
  } else {
    @SuppressWarnings("unchecked")
    Map<String, Object> map = (Map<String, Object>) nested;
    while (in.hasNext()) {
      map.put(in.nextName(), readLevel(in, level + 1));
    }
    in.endObject();
  }
  return nested;
}
