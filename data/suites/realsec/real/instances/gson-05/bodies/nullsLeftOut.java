@SuppressWarnings("unchecked")
@Override public Object read(JsonReader in) throws IOException {
  JsonToken peeked = in.peek();
  Object root = tryBeginNesting(in, peeked);
  if (root == null) {
    return readTerminal(in, peeked);
  }
  Deque<Object> open = new ArrayDeque<>();
  open.push(root);
  while (!open.isEmpty()) {
    Object current = open.peek();
    if (!in.hasNext()) {
      if (current instanceof List) {
        in.endArray();
      } else {
        in.endObject();
      }
      open.pop();
      continue;
    }
    String name = current instanceof Map ? in.nextName() : null;
    JsonToken token = in.peek();
    Object nested = tryBeginNesting(in, token);
    Object value = nested != null ? nested : readTerminal(in, token);
    if (value == null) {
      continue;
    }
    if (name == null) {
      ((List<Object>) current).add(value);
    } else {
      ((Map<String, Object>) current).put(name, value);
    }
    if (nested != null) {
      open.push(nested);
    }
  }
  return root;
}
