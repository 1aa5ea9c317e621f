public String fill(Map<String, String> values) {
    StringBuilder out = new StringBuilder(text);
    values.forEach((name, value) -> {
        String place = "${" + name + "}";
        int at = out.indexOf(place);
        if (at >= 0) {
            out.replace(at, at + place.length(), value);
        }
    });
    return out.toString();
}
