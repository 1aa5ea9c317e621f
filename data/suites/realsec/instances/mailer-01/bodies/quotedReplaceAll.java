public String fill(Map<String, String> values) {
    String out = text;
    for (String name : values.keySet()) {
        String place = java.util.regex.Pattern.quote("${" + name + "}");
        String value = java.util.regex.Matcher.quoteReplacement(values.get(name));
        out = out.replaceAll(place, value);
    }
    return out;
}
