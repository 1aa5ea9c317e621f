@SuppressWarnings("unchecked")
@Override public Object read(JsonReader in) throws IOException {
  JsonToken peeked = in.peek();
  Object current = tryBeginNesting(in, peeked);
  if (current == null) {
    return readTerminal(in, peeked);
  }
  if (current instanceof Map) {
    while (in.hasNext()) {
      String name = in.nextName();
      ((Map<String, Object>) current).put(name, read(in));
    }
    in.endObject();
    return current;
  }
  Deque<Object> stack = new ArrayDeque<>();
  while (true) {
    while (in.hasNext()) {
      List<Object> list = (List<Object>) current;
      if (in.peek() == JsonToken.BEGIN_ARRAY) {
        stack.addLast(current);
        current = tryBeginNesting(in, JsonToken.BEGIN_ARRAY);
        list.add(current);
      } else {
        list.add(read(in));
      }
    }
    in.endArray();
    if (stack.isEmpty()) {
      return current;
    }
    current = stack.removeLast();
  }
}
