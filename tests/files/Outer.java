package a.b;

import java.util.List;

/** Grüße: "int f(int x) {" in a comment is no method. */
public class Outer<T extends Comparable<T>> {
    private static final String TEXT = "int f(int x) { }";

    int f(int x) {
        return x;
    }

    int f(long x) {
        return 2;
    }

    @Deprecated
    public <K> List<K> f(java.util.Map<String, ? super K> map, K... more) throws Exception {
        return null;
    }

    Outer(int x) {
        this.hashCode();
    }

    static class Inner {
        Runnable anonymous = new Runnable() {
            public void run() {
            }
        };

        int f(int x) {
            return 3;
        }

        /** Two. */
        void run() {
        }
    }

    enum Kind {
        ONE;

        String größe(char[] zeichen) {
            return "ß";
        }
    }
}
