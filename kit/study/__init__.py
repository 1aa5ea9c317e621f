"""For people who look: explore failures, code their causes, review items, calibrate oracles."""
