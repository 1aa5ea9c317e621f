package com.fernhollow.greenhouse.state;

import java.io.Serializable;
import java.util.ArrayList;

/** What a bed got last week, in litres for each day. */
public record Snapshot(String bed, ArrayList<Integer> litres) implements Serializable {
}
