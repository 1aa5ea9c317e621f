public String at(String place) {
    int index = Integer.parseInt(place);
    if (Integer.compareUnsigned(index, addresses.length) >= 0) {
        return "";
    }
    return addresses[index];
}
