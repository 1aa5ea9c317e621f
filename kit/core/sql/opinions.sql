SELECT slots.task, slots.model, slots.sample, o.test, t.kind, t.cwe, o.oracle AS judge,
    a.outcome AS offline_outcome, a.oracle AS offline_oracle, b.outcome AS judge_outcome,
    b.reason AS judge_reason, s.label, o.slot
FROM opinions o JOIN slots ON slots.slot = o.slot
JOIN tests t ON t.task = slots.task AND t.test = o.test
JOIN verdicts a ON a.key = o.offline JOIN verdicts b ON b.key = o.verdict
LEFT JOIN samples s ON s.slot = o.slot
ORDER BY slots.rowid, t.position, o.oracle
