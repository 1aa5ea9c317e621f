SELECT slots.task, slots.model, slots.sample, r.test, t.kind, t.cwe, r.repeat, e.status,
    v.outcome, v.oracle, v.reason, r.slot
FROM repeats r JOIN slots ON slots.slot = r.slot
JOIN tests t ON t.task = slots.task AND t.test = r.test
JOIN evidence e ON e.key = r.evidence JOIN verdicts v ON v.key = r.verdict
ORDER BY slots.rowid, t.position, r.repeat
