"""Is the code that a language model writes both correct and secure?

The reading order is the flow of the data; imports only ever point up this list.

errors       KitError, the one exception for mistakes that a user can mend
paths        where the project's folders are
rings        what the packages of the second list announce
notes        what a running notebook leaves for the process that started it
records      the nouns: Task, Test, Sample, Event, Observed, Evidence, Verdict; Status, Outcome
metrics      arrays in, numbers out: at-k estimators, rates, intervals, paired tests
languages    one table of the programming languages that the kit knows
form         one class reads a JSON object, documents it, and words each mistake in it
versions     what a result rests on: the sources that a module really imports
sandbox      an untrusted program runs, and what it did is seen from outside
generation   a model, an agent or a recording answers
pool         many things at once: threads, a progress bar, the tally of a stage
harness      extracts a program, loads it, sees how it can be called, calls it in the sandbox
oracle       evidence becomes a verdict: pass, fail or unknown, with its reason
store        one SQLite file per run; content keys; resume; frame() is the tidy table
measures     the one policy: status and outcome become functional, secure, in the denominator
suite        the contract: what everything else knows of a suite
suites       opens a suite by its name or folder; specifications, which are DualGauge's kind;
             the common part of benchmarks that are read from a clone
run          generate, execute, judge over many tasks, in a pool, resumable
explore      the samples of a run as widgets, as a page and as figures; two runs beside each other;
             a sweep from a notebook; save() is the only door to figures/
books        notebooks through papermill, strictly
cli          the `kit` command

Around this core lie rings. Each imports the core and no other ring; the core imports none of them.

systems      CodeGuard+, RealSec-bench and OSS-Bench, a folder each
authoring    models draft tests, and compile their English into probes
review       people label, code and review tests; oracles are measured against labels
papers       the printed numbers, the audit of them, and their tables again from a run
bridges      agents, clusters, Inspect, SARIF, JUnit, a scan of any folder
course       labs for a class, with copies of the notebooks and marks; it teaches all the others

Other people's benchmarks are no part of it: each is a folder with a suite.py (data/suites).

FACE is all that a notebook needs to know: these names, each with a docstring, and the attributes of
what they give. Everything else belongs to its room and may change.
"""

__version__ = "0.1.0"

FACE = {
    "kit.explore": "Explorer arms read_lists recorded_scores stages",
    "kit.explore.plots": "dumbbell forest heat save show sweep",
    "kit.scoring.measures": "counts frame_steps measure",
    "kit.scoring.stats": "seed smallest_detectable_difference",
    "kit.papers": "ac1_range agree compare composition factor intervals "
    "oracle printed_intervals relations replicate shares sign_tests slip_shares table tallies wide",
    "kit.core.records": "Cell Sample Trial content_key",
    "kit.review": "FailureAudit ProbeReview ReviewForm OracleRecord component_rates corrected "
    "corrections levels simulated_judge",
    "kit.run.job": "Job",
    "kit.run.validate": "execute labelled",
    "kit.sandbox": "open_sandbox",
    "kit.core.store": "Store",
    "kit.run.suites": "open_suite",
    "kit.systems.codeguard.study": "engines method_scores per_prompt reversals",
    "kit.systems.ossbench.study": "builds chained chart",
    "kit.systems.realsec.study": "Methods adjudicated",
}
