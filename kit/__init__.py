"""Is the code that a language model writes both correct and secure?

The reading order is the flow of the data; imports only ever point up this list.

records      the nouns: Task, Test, Sample, Event, Observed, Evidence, Verdict; Status, Outcome
errors       KitError, the one exception for mistakes that a user can mend
ledger       what a notebook tells the process that started it
suites       what is asked, and how an answer is checked
generation   a model, an agent or a recording answers, code is extracted; models draft new items
sandbox      an untrusted program runs, and what it did is seen from outside
harness      decides by parsing how a program is called, and calls it in the sandbox
oracle       evidence becomes a verdict: pass, fail or unknown, with its reason
store        one SQLite file per run; content keys; resume; frame() is the tidy table
metrics      arrays in, numbers out: at-k estimators, rates, intervals, paired tests
table        the one policy: status and outcome become functional, secure, in the denominator
published    the numbers that the papers print, and the comparison with ours
audit        which printed numbers follow from others, and the law that the rest breaks
pipeline     generate, execute, judge over many tasks, in a pool, resumable
flakes       the same executed again: how often another verdict comes out
imported     results that others computed become a run
beside       a printed table, or the same from a run with the printed one beside it
calibration  executor and oracle against labels, and scores with their errors propagated
factors      the steps of one factor, and what can be said of their chance
sweep        several arms over the same tasks, run or read
tallies      how many tasks passed, were secure, were both; every test that these counts allow
opinions     what a second oracle says beside the first, and how far the two agree
judging      a model as judge over the stored evidence of a run
stages       execution and judgement with the models that have a hand in them
executed     which tests were executed, and where it failed that others were not
throughput   how many labelled tests a second the pipeline executes and judges
plots        the few figures and their style; save() is the only door to figures/
explore      the widgets that show why a program failed
review       raters judge items by nine questions; who said what, and how far they agree
failures     raters code why programs failed; the codes summed up
runs         notebooks through papermill, strictly
ossbench     real C projects: edits, builds, their own tests under sanitizers, scores
cli          the `kit` command
"""

__version__ = "0.1.0"
