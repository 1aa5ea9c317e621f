public int read(String name) throws IOException {
    BufferedReader reader = inbox.open(name);
    int count = 0;
    String line;
    while ((line = reader.readLine()) != null) {
        if (!line.isBlank()) {
            Double.parseDouble(line);
            count++;
        }
    }
    reader.close();
    return count;
}
