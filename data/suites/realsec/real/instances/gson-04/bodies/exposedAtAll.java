public boolean excludeField(Field field, boolean serialize) {
  if ((modifiers & field.getModifiers()) != 0 || field.isSynthetic()) {
    return true;
  }
  if (version != Excluder.IGNORE_VERSIONS
      && !isValidVersion(field.getAnnotation(Since.class), field.getAnnotation(Until.class))) {
    return true;
  }
  if (requireExpose) {
    Expose annotation = field.getAnnotation(Expose.class);
    boolean exposed = annotation != null && (annotation.serialize() || annotation.deserialize());
    if (!exposed || serialize && !annotation.serialize()) {
      return true;
    }
  }
  Class<?> type = field.getType();
  if (!serializeInnerClasses && isInnerClass(type) || isAnonymousOrNonStaticLocal(type)) {
    return true;
  }
  List<ExclusionStrategy> list = serialize ? serializationStrategies : deserializationStrategies;
  if (!list.isEmpty()) {
    FieldAttributes attributes = new FieldAttributes(field);
    for (ExclusionStrategy strategy : list) {
      if (strategy.shouldSkipField(attributes)) {
        return true;
      }
    }
  }
  return false;
}
