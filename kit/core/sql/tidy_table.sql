SELECT t.suite, t.task, slots.model, slots.arm, slots.sample, t.test, t.kind, t.cwe, t.domain,
    coalesce(s.label, '') AS label, CASE WHEN s.status IS NOT NULL AND s.status != 'completed' THEN s.status
    ELSE coalesce(e.status, 'not_run') END AS status,
    coalesce(v.outcome, 'unknown') AS outcome, coalesce(v.oracle, '') AS oracle,
    coalesce(v.reason, CASE WHEN s.status IN ('extraction_error', 'refused') THEN 'no_program'
    ELSE 'no_evidence' END) AS reason, e.wall_s, e.cpu_s, e.peak_mb,
    coalesce(e.isolation, '') AS isolation, coalesce(c.cached, 0) AS cached, slots.slot
FROM slots JOIN tests t ON t.task = slots.task
LEFT JOIN samples s ON s.slot = slots.slot
LEFT JOIN cells c ON c.slot = slots.slot AND c.test = t.test
LEFT JOIN evidence e ON e.key = c.evidence
LEFT JOIN verdicts v ON v.key = c.verdict
WHERE slots.rowid BETWEEN ? AND ?
ORDER BY slots.rowid, t.position
