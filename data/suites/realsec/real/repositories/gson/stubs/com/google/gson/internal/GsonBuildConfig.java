package com.google.gson.internal;

/** What the project's build makes of a template: the version, for messages. */
public final class GsonBuildConfig {

  public static final String VERSION = "2.10.1";

  private GsonBuildConfig() {
  }
}
