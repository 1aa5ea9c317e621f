Plugin create(Manifest manifest) throws ReflectiveOperationException {
    Class<?> type = Class.forName(manifest.main(), false, Plugin.class.getClassLoader());
    if (!type.getPackageName().equals("plug.tools") || !Plugin.class.isAssignableFrom(type)) {
        throw new ClassNotFoundException(manifest.main());
    }
    return type.asSubclass(Plugin.class).getDeclaredConstructor().newInstance();
}
