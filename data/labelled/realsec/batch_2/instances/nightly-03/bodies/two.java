public int read(String name) throws IOException {
    int count = 0;
    try (BufferedReader reader = inbox.open(name)) {
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            if (!line.isBlank()) {
                Double.parseDouble(line);
                count++;
            }
        }
    }
    return count;
}
