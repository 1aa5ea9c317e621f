void add(int earned) {
    points = points + earned;
}
