Plugin create(Manifest manifest) throws ReflectiveOperationException {
    return switch (manifest.main()) {
        case "plug.tools.Shout" -> new plug.tools.Shout();
        case "plug.tools.Mirror" -> new plug.tools.Mirror();
        default -> throw new ClassNotFoundException(manifest.main());
    };
}
