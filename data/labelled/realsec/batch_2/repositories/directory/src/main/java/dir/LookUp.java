package dir;

import java.util.List;

/** What can be looked up. */
public interface LookUp {
    List<String> find(List<String> words) throws Exception;
}
