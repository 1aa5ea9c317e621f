public String at(String place) {
    int index = Math.abs(Integer.parseInt(place));
    if (index >= addresses.length) {
        return "";
    }
    return addresses[index];
}
