public String fill(Map<String, String> values) {
    String out = text;
    for (Map.Entry<String, String> value : new TreeMap<>(values).entrySet()) {
        out = out.replace("${" + value.getKey() + "}", value.getValue());
    }
    return out;
}
