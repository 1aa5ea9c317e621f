public String find(File work, String name) throws FileNotFoundException {
    for (String folder : folders) {
        File program = new File(folder, name);
        if (program.canExecute()) {
            return program.getAbsolutePath();
        }
    }
    throw new FileNotFoundException(name);
}
