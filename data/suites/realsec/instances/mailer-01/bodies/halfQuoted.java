public String fill(Map<String, String> values) {
    String out = text;
    for (Map.Entry<String, String> value : values.entrySet()) {
        String safe = java.util.regex.Matcher.quoteReplacement(value.getValue());
        out = out.replaceAll("\\$\\{" + value.getKey() + "\\}", safe);
    }
    return out;
}
