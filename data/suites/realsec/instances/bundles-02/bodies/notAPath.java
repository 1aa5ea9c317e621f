Path find(String name) throws IOException {
    File file = new File(folder, name).getCanonicalFile();
    if (!file.toPath().startsWith(folder.getCanonicalFile().toPath())) {
        throw new IOException("not in this archive: " + name);
    }
    return file;
}
