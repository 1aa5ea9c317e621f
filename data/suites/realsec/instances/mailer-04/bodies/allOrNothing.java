public int grant(int wanted) {
    if (wanted < 0 || wanted > left) {
        return 0;
    }
    left -= wanted;
    return wanted;
}
