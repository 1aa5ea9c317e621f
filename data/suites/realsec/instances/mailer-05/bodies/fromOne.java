public String at(String place) {
    int index = Integer.parseInt(place) - 1;
    return index >= 0 && index < addresses.length ? addresses[index] : "";
}
