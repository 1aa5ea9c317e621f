public String at(String place) {
    int index = Integer.parseInt(place);
    if (index >= addresses.length) {
        return "";
    }
    return addresses[index];
}
