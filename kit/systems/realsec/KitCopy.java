/**
 * Classes of tests under another name; in a decoy the two words differ, so that none of them passes.
 * The names and words here are replaced in the compiled class, anew for each test of each run.
 */
public class KitCopy extends KitTests {
    @org.junit.jupiter.api.AfterEach
    @org.junit.After
    public void kitEnd() {
        org.junit.jupiter.api.Assertions.assertEquals("KitWord", "KitOther");
    }
}

class KitTests extends junit.framework.TestCase {}
