@Override public Object read(JsonReader in) throws IOException {
  JsonToken token = in.peek();
  switch (token) {
    case BEGIN_ARRAY: {
      List<Object> list = new ArrayList<>();
      in.beginArray();
      while (in.hasNext()) {
        list.add(read(in));
      }
      in.endArray();
      return list;
    }
    case BEGIN_OBJECT: {
      Map<String, Object> map = new LinkedTreeMap<>();
      in.beginObject();
      while (in.hasNext()) {
        map.put(in.nextName(), read(in));
      }
      in.endObject();
      return map;
    }
    default:
      return readTerminal(in, token);
  }
}
