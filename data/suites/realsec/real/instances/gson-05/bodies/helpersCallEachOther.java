@Override public Object read(JsonReader in) throws IOException {
  JsonToken peeked = in.peek();
  Object nested = tryBeginNesting(in, peeked);
  if (nested == null) {
    return readTerminal(in, peeked);
  }
  if (nested instanceof List) {
    fillList(in, (List<Object>) nested);
  } else {
    fillMap(in, (Map<String, Object>) nested);
  }
  return nested;
}

private void fillList(JsonReader in, List<Object> list) throws IOException {
  while (in.hasNext()) {
    list.add(read(in));
  }
  in.endArray();
}

private void fillMap(JsonReader in, Map<String, Object> map) throws IOException {
  while (in.hasNext()) {
    String name = in.nextName();
    map.put(name, read(in));
  }
  in.endObject();
}
