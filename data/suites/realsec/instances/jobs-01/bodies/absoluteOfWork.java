public String find(File work, String name) throws FileNotFoundException {
    File own = new File(work, name).getAbsoluteFile();
    if (own.canExecute()) {
        return own.getPath();
    }
    for (String folder : folders) {
        File program = new File(folder, name);
        if (program.canExecute()) {
            return program.getAbsolutePath();
        }
    }
    throw new FileNotFoundException(name);
}
