public String fill(Map<String, String> values) {
    String out = text;
    values.forEach((name, value) -> out = out.replace("${" + name + "}", value));
    return out;
}
