/**
 * What the words of the console mean, in one line each: as `docs/glossary.md` says it, which a test
 * holds to be the same.
 */
export const TERMS = {
  approval: 'a signature on the digest of the evidence',
  'as of now': "the same figures after the partition's last correction",
  'as published': "a sealed partition's figures as they were sent, which is what is served of it",
  attempt: 'one try at one partition, fenced by a token',
  author:
    'whoever wrote a frozen field, wrote one that was carried, or accepted drift or quarantine by name; does not sign',
  barrier: 'the watermark that the active generation had reached when ingress was sealed',
  blocker: 'one reason why a move is not open: fix or wait',
  bucket: 'one of 64 parts of a partition, by key hash; only touched buckets are hashed again',
  candidate: 'the generation that a release is making',
  'catch-up':
    "applying logged events after the snapshot's watermark to the candidate, up to the barrier, exactly",
  claim: 'the reservation of partitions by an owner, seen by runs and releases alike',
  control: "what the old transform yields from the same facts as the candidate's",
  correction: "what a sealed partition's figures would be now, beside what was sent, and why",
  cutover: 'the one compare-and-set that moves the active pointer and opens the next epoch',
  drift: 'a row of the old generation that its own transform does not yield',
  drill:
    "a release's whole cutover and rollback on a fork, timed, with production untouched; its gate reads the last one",
  evidence: 'everything that a signature stands for, under one digest',
  'explained diff': 'a changed row that a rule declared in the release accounts for',
  gap: 'a partition that is over, not sealed, and holds no rows, or that a schedule should have run and did not',
  generation:
    'one complete version of a dataset: for every instant of business time, which segment holds it and which transform made it',
  hold: 'a flag that keeps a release from moving forward',
  'ingress epoch':
    'the number under which live writers may commit to the active generation; OPEN or SEALED',
  'ingress seal': 'the compare-and-set that closes an epoch and fixes the barrier',
  lag: 'how long the oldest event that is not applied has waited',
  lease: "a reader's right to keep reading one generation until it ends",
  manifest: "a generation's list of partitions with counts, sums and roots, and the root over them",
  offset: 'a position in one shard of the log, dense and in commit order',
  partition:
    "one half-open interval [start, end) of business time, cut in the dataset's time zone; named by its start instant",
  'pending correction':
    'what an event would have changed in a sealed partition, until a correction contains it',
  policy: "a dataset's floor under every release: approvals, leases, rollback window",
  progress: 'per shard the last offset that a generation has scanned',
  publication:
    'the record that figures of a range were sent out: when, to whom, by which document; it seals its partitions',
  'quarantined event': 'an event that could not become a row; kept, shown, blocking',
  receipt: 'the proof that one partition was built: input root, output root, transform, attempt',
  reconciliation:
    'the checks and the row diff between old and candidate generation at the same barrier',
  rehearsal: 'the same, beside live writing, before the seal',
  replay: 'applying to a kept generation what was written since it was left',
  rerun: 'a run that a person asks for over what stands already: asked first, and the answers kept',
  rollback: 'replay, seal, tail and one compare-and-set back, against a clock of 15:00',
  root: 'a SHA-256 over rows that two people can compute apart and compare',
  run: 'one walk over a range of partitions that computes each of them again from the log, or skips it and says why; green where nothing but absence stopped it',
  'saved report': "a query over a dataset's rows, kept under a name to be read in shadow",
  'sealed partition': 'a partition whose figures were sent out: never overwritten again',
  'shadow read':
    'a saved report read at one moment on the old and the new generation of a release, and compared; not a gate',
  snapshot: 'facts(W), materialised, immutable',
  source:
    'a named stream of business facts: each has a key, a revision, an operation (upsert, delete), an event id, an event time and a payload',
  transform: 'one SQL SELECT over the relation source, known by its digest, traced to a commit',
} as const;

export type TermName = keyof typeof TERMS;
