/** The same as KitCopy for a class of JUnit 3, which has no annotations and must be public. */
public class KitCase extends KitTests {
    @Override
    public void runBare() throws Throwable {
        super.runBare();
        org.junit.jupiter.api.Assertions.assertEquals("KitWord", "KitOther");
    }
}
