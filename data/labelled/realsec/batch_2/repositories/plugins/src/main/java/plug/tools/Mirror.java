package plug.tools;

import plug.Plugin;

public class Mirror implements Plugin {
    @Override
    public String name() {
        return "mirror";
    }

    @Override
    public String apply(String text) {
        return new StringBuilder(text).reverse().toString();
    }
}
