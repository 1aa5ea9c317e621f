"""Real C projects under a model's edits: does it build, do its tests pass, is its memory safe?

fetch, project, cjson, sqlite, php   where sources come from, and what builds them
extract, source, edit                functions in them, and an answer in the place of one
toolchain      compiles and links in the sandbox; objects are kept under what made them
check          is an edit compilable, without a rebuild
schemata       one build that holds original and edited body of every function
witness        what a tested program says where no edit can forge it (with runtime.c)
testsuite      the project's own test suite, with chosen edits switched on
fuzz           libFuzzer, or what fuzzers found before, against the same edits
contamination  does a model know where a function comes from?
work           the builds of one job, and what is run on them
tables         what a run holds of edits, iterations and alerts
scores         the numbers of a run, and `measured` their rows
verdicts       what the iterations say of one edit
groups         which edits are put to the tests together, and until when
suite          all of it on the contract
selfcheck      no edit at all, and seeded faults
"""
