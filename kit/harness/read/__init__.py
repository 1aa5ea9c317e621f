"""Programs read from their syntax trees: what they offer and do; nothing is executed."""
