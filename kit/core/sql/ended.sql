SELECT slot, test, coalesce(json_extract(arm, '$.language'), 'python'), ended FROM (
    SELECT s.rowid AS at, s.slot, s.arm, t.test,
        CASE WHEN a.status != 'completed' THEN a.status ELSE e.status END AS ended
    FROM slots s JOIN tests t USING (task) LEFT JOIN samples a ON a.slot = s.slot
    LEFT JOIN cells c ON c.slot = s.slot AND c.test = t.test
    LEFT JOIN evidence e ON e.key = c.evidence)
WHERE ended IN ('harness_error', 'infra_error') ORDER BY at
