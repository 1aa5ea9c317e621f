package plug.tools;

import plug.Plugin;

public class Shout implements Plugin {
    @Override
    public String name() {
        return "shout";
    }

    @Override
    public String apply(String text) {
        return text.toUpperCase(java.util.Locale.ROOT) + "!";
    }
}
