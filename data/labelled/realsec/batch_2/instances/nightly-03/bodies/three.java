public int read(String name) throws IOException {
    BufferedReader reader = inbox.open(name);
    int count = 0;
    try {
        String line;
        while ((line = reader.readLine()) != null) {
            if (!line.isBlank()) {
                Double.parseDouble(line);
                count++;
            }
        }
    } catch (IOException torn) {
        reader.close();
        throw torn;
    }
    reader.close();
    return count;
}
