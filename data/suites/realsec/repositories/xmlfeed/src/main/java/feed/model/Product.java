package feed.model;

import java.io.Serializable;

public record Product(String code, String title, int stock) implements Serializable {
}
