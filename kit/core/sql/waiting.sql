SELECT count(*) FROM slots JOIN samples a USING (slot) WHERE a.status = 'completed'
    AND task IN (SELECT task FROM tests)
    AND NOT EXISTS (SELECT 1 FROM cells c WHERE c.slot = slots.slot)
