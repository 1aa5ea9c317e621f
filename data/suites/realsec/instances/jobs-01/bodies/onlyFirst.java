public String find(File work, String name) throws FileNotFoundException {
    return new File(folders.get(0), name).getAbsolutePath();
}
