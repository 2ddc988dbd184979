/* The cutover protocol, small enough to check every interleaving: one dataset, one source shard of E events, one
   release that makes generation 1 beside generation 0.

   Events 1 and 4 fall into the release's range, 3 outside of it; 2 would fall into it, but is not effective (older
   than its key's newest revision): it has an offset and becomes no row. An object stands for (segment, partition);
   its content is the set of the effective events applied to it.

   A transaction is the steps from the lock that it takes to its commit; what it writes is seen at the commit. Whatever
   changes what is served holds the dataset's one registry row for update, so at most one such transaction is under
   way: one applier per dataset. Catch-up holds the candidate's rows instead. What a process believed before its lock
   may be stale, and it may die at any step before its commit: its locks go, and nothing of it stays.

   Behind each step stands where it is implemented, as file:name.

   Weakenings, each of which must fail:
     NO_LOCK          the applier does not hold the registry row
     NO_EPOCH_CHECK   the applier does not compare state and epoch under its lock
     PIN_AT_LOG_END   the watermark is the log's end, not what the active generation has reached
     CATCHUP_AHEAD    before the seal, catch-up goes to the log's end
     CATCHUP_NO_LOCK  catch-up does not hold its candidate's progress
     CATCHUP_EARLY    catch-up begins before the receipt stands
     REBUILD          a standing receipt does not keep a partition from being built again
     STALLED          progress is the last effective offset, not the last one scanned
     ENDS_UNDER       a release is ended without waiting for its candidate's rows
     STALE_CHECKS     the final checks may be those of an earlier seal
     NO_COW           a shared partition is written in place
     COW_IN_PLACE     it is noticed as shared, and written in place all the same
     SIGN_ANY         a signature takes the evidence that stands, not the evidence that was shown
     KEEP_EVIDENCE    reopening leaves the evidence and the signatures standing
     REPLAY_AHEAD     replay goes to the log's end
   Ends that must be reached (their assertion must fail): REACH=ROLLED_BACK, REACH=ABANDONED */
#ifndef E
#define E 4
#endif
#define BIT(e)       (1 << ((e) - 1))
#define UPTO(n)      (((1 << (n)) - 1) & ~2)     /* event 2 is not effective */
#define EFFECTIVE(e) ((e) != 2)
#define PLACE(e)     ((e) == 3 -> OUT : IN)
#define INMASK       (1 + 8)
#define IN  1
#define OUT 0
#define NONE 11                                  /* an object that is empty and never written */
#define M(g,p) map[(g) * 2 + (p)]
#define VIEW(g) (obj[M(g,IN)] | obj[M(g,OUT)])
#ifdef CATCHUP_AHEAD
#define LIMIT (rel == INGRESS_SEALED -> barrier : loglen)
#else
#define LIMIT (rel == INGRESS_SEALED -> barrier : prog[0])
#endif
#define DIGEST (epoch * 16 + barrier)            /* evidence: of one epoch at one barrier */
#define BEFORE_CUTOVER (rel != DRAFT && rel != ACTIVE && rel != ROLLED_BACK && rel != ABANDONED)
#define HOLDS_SEAL (rel == INGRESS_SEALED || rel == CAUGHT_UP || rel == RECONCILED || rel == APPROVED)

mtype = { OPEN, SEALED };
mtype = { DRAFT, BUILDING, INGRESS_SEALED, CAUGHT_UP, RECONCILED, APPROVED, ACTIVE, ROLLED_BACK, ABANDONED };
mtype = { NO_ROLLBACK, REPLAYING, TAIL };

/* the registry row */
bool reg = false;                                /* held for update */
byte cur = 0, epoch = 1, barrier = 0;
mtype ingress = OPEN, rollback = NO_ROLLBACK;
/* the release, its candidate */
mtype rel = DRAFT;
byte evidence = 0, signature = 0;
bool cand = false;                               /* the candidate's generation and progress rows, held */
bool receipt = false;
/* the log, the generations */
byte loglen = 0;                                 /* events in the log; offset = event number */
byte obj[12]; byte nobj = 2;                     /* 0: first load, outside the range; 1: inside */
byte map[4];
byte watermark = 0;                              /* of the snapshot */
byte prog[2];                                    /* the last offset scanned */
/* ghosts: what the assertions know and the protocol does not */
byte shown = 0;                                  /* what the signer had on the screen */
byte checked = 0;                                /* the epoch whose barrier the standing evidence was checked at */
byte frozen = 0;                                 /* generation 0 as it was at the cutover */
bool replayed = false;
/* bounds, so that the model ends */
bool reopened = false, calledoff = false;

/* event e into generation g; a partition that the other generation maps too is copied first */
inline write(g, e) {
  p_ = PLACE(e);
  o_ = M(g, p_);
#ifndef NO_COW
  if
  :: M(1 - g, p_) == o_ ->                       /* lib/db/statements/generation-map.ts:sharedPartitions */
#ifdef COW_IN_PLACE
       skip
#else
       obj[nobj] = obj[o_]; M(g, p_) = nobj; o_ = nobj; nobj++     /* lib/db/statements/rows.ts:copyPartitions */
#endif
  :: else
  fi;
#endif
  assert(!(obj[o_] & BIT(e)));                   /* exactly once */
  obj[o_] = obj[o_] | BIT(e)
}

/* the next offset scanned; an event that is not effective moves progress all the same */
inline apply(g, e) {
  if :: EFFECTIVE(e) -> write(g, e) :: else fi;
#ifdef STALLED
  if :: EFFECTIVE(e) -> prog[g] = e :: else fi;
#else
  prog[g] = e;                                   /* lib/db/statements/progress.ts:saveProgress */
#endif
  assert(prog[g] == e)                           /* else the same offsets are scanned for ever */
}

inline reopen() {
  ingress = OPEN; epoch++; barrier = 0;
  if
  :: rollback == TAIL -> rollback = NO_ROLLBACK  /* lib/services/release/rollback-row.ts:failRollback */
  :: else -> rel = BUILDING;                     /* lib/services/release/reopen.ts:fallBack */
#ifndef KEEP_EVIDENCE
     evidence = 0; shown = 0; checked = 0        /* lib/services/release/reopen.ts:forgetSeal */
#endif
  fi
}

proctype Appender() {
end: do
  :: atomic { loglen < E -> loglen++ }           /* lib/services/source/append-events.ts:appendEvents lib/db/statements/append-events.ts:lockShards */
  od }

/* live writing: what it believes of the epoch may be old by the time that it holds the row */
proctype Applier() {
  byte believed, g, e, p_, o_; mtype st = OPEN;
end: do
  :: atomic { loglen > prog[cur] && ingress == OPEN -> believed = epoch };        /* lib/runner/applier.ts:applyLive */
     atomic {                                    /* lib/db/statements/registry.ts:lockRegistry lib/services/apply/apply-live.ts:applyLive */
#ifndef NO_LOCK
       !reg -> reg = true;
#endif
       g = cur; st = ingress;
#ifndef NO_EPOCH_CHECK
       if :: believed != epoch -> st = SEALED :: else fi
#else
       st = OPEN
#endif
     };
     if
     :: atomic { true ->                         /* commits: lib/services/apply/apply-batch.ts:applyBatch */
          if
          :: st == OPEN && prog[g] < loglen ->
               e = prog[g] + 1; apply(g, e);
               assert(VIEW(g) == UPTO(prog[g]));
               assert(ingress == OPEN && g == cur && believed == epoch);          /* what lost to the seal left nothing */
               if :: rel == ACTIVE && !replayed -> assert(VIEW(0) == frozen) :: else fi
          :: else
          fi;
#ifndef NO_LOCK
          reg = false;
#endif
          believed = 0; g = 0; e = 0; p_ = 0; o_ = 0; st = OPEN }
     :: atomic { true ->                         /* dies: lib/db/transaction.ts:transaction */
#ifndef NO_LOCK
          reg = false;
#endif
          believed = 0; g = 0; st = OPEN }
     fi
  od }

/* two workers on the one partition of the range; the first may be a zombie that wakes up late */
proctype Builder() {
endc: atomic { rel == BUILDING };                 /* lib/db/statements/attempt.ts:claimPartition */
endb: atomic { BEFORE_CUTOVER && !cand ->         /* one transaction: lib/services/steps/build-partition.ts:buildPartition */
#ifdef REBUILD
    if
    :: true -> obj[M(1,IN)] = UPTO(watermark) & INMASK; receipt = true
#else
    if
    :: !receipt -> obj[M(1,IN)] = UPTO(watermark) & INMASK; receipt = true            /* lib/db/statements/facts.ts:materialiseFacts */
    :: else                                      /* lib/services/steps/build-partition.ts:verify */
#endif
    fi;
    assert(obj[M(1,IN)] == (UPTO(prog[1]) & INMASK)) }
}

/* catch-up of the candidate; two of them, one may be a zombie. Its limit is read under the lock of the progress, and only
   while the release is still in the state that the step saw */
proctype CatchUp() {
  byte e, p_, o_, lim;
end: do
  :: atomic {                                    /* lib/services/apply/apply-live.ts:catchUp lib/db/statements/progress.ts:lockProgress */
       (rel == BUILDING || rel == INGRESS_SEALED) && prog[1] < LIMIT &&                      /* lib/services/steps/advance.ts:catchUpTo */
#ifndef CATCHUP_EARLY
       receipt &&
#endif
#ifdef CATCHUP_NO_LOCK
       true ->
#else
       !cand -> cand = true;
#endif
       e = prog[1]; lim = LIMIT };
     if
     :: atomic { true ->                         /* commits: lib/services/apply/apply-batch.ts:applyBatch */
          e++; assert(e <= lim);
#ifndef CATCHUP_NO_LOCK
          assert(rel != ABANDONED);              /* nothing is written to what is a candidate no more */
#endif
          if
          :: PLACE(e) == IN -> apply(1, e)
          :: else -> prog[1] = e                 /* outside the range there is no segment yet */
          fi;
          assert(prog[1] <= prog[0]);            /* else it can never meet the active generation at a barrier */
          assert(!receipt || obj[M(1,IN)] == (UPTO(prog[1]) & INMASK));
#ifndef CATCHUP_NO_LOCK
          cand = false;
#endif
          e = 0; p_ = 0; o_ = 0; lim = 0 }
     :: atomic { true ->                         /* dies: lib/db/transaction.ts:transaction */
#ifndef CATCHUP_NO_LOCK
          cand = false;
#endif
          e = 0; lim = 0 }
     fi
  :: atomic { rel == INGRESS_SEALED && !reg && prog[1] == barrier -> rel = CAUGHT_UP }       /* lib/services/steps/advance.ts:sealedStep */
  od }

/* the final reconciliation reads for long without a lock; its end is a transaction of its own */
proctype Reconciler() {
  byte seen;
end: do
  :: atomic { rel == CAUGHT_UP -> seen = epoch };                                            /* lib/services/steps/reconcile.ts:reconcile */
     atomic { !reg ->                            /* lib/services/steps/advance.ts:moveOn lib/services/steps/evidence.ts:writeEvidence */
       if
#ifdef STALE_CHECKS
       :: rel == CAUGHT_UP ->
#else
       :: rel == CAUGHT_UP && seen == epoch ->
#endif
            evidence = DIGEST; checked = seen; rel = RECONCILED
       :: else
       fi;
       seen = 0 }
  od }

/* replay into the old generation during a rollback; its transaction holds the registry row from its first statement */
proctype Replay() {
  byte e, p_, o_;
end: do
  :: atomic { rollback != NO_ROLLBACK && !reg && prog[0] <                                   /* lib/services/apply/apply-live.ts:replay */
#ifdef REPLAY_AHEAD
       loglen ->
#else
       (rollback == TAIL -> barrier : prog[1]) ->                                            /* lib/services/release/rollback-steps.ts:replayNext */
#endif
       e = prog[0] + 1; replayed = true; apply(0, e);                                        /* lib/services/apply/apply-batch.ts:applyBatch */
       assert(prog[0] <= prog[1]);
       assert(VIEW(0) == UPTO(prog[0]) && VIEW(1) == UPTO(prog[1]));
       e = 0; p_ = 0; o_ = 0 }
  :: atomic { rollback == REPLAYING && !reg && ingress == OPEN ->                            /* lib/services/release/rollback-steps.ts:sealForRollback */
       ingress = SEALED; barrier = prog[1]; rollback = TAIL }
  :: atomic { rollback == TAIL && !reg && prog[0] == barrier ->                              /* lib/services/release/rollback-steps.ts:switchBack */
       cur = 0; epoch++; ingress = OPEN; barrier = 0; rollback = NO_ROLLBACK; rel = ROLLED_BACK;
       assert(prog[1] == prog[0] && VIEW(0) == UPTO(prog[0])) }
  od }

/* an approver, who may leave the page open for as long as it takes */
proctype Signer() {
  byte seen = 0;
end: do
  :: atomic { rel == RECONCILED -> seen = evidence };                                        /* reads what there is to sign: lib/queries/approval-view.ts */
     atomic { !reg ->                            /* lib/services/release/sign.ts:sign */
       if
#ifdef SIGN_ANY
       :: rel == RECONCILED -> signature = evidence; shown = seen; rel = APPROVED
#else
       :: rel == RECONCILED && seen == evidence -> signature = seen; shown = seen; rel = APPROVED
#endif
       :: else
       fi;
       seen = 0 }
  od }

/* people, pressing whatever the state lets them press, in any order. A move is one step: it holds the registry row from its
   first statement (lib/services/release/move.ts:lockedMove), and nothing that it decides by changes under that row */
proctype Operator() {
end: do
  :: atomic { rel == DRAFT && !reg ->            /* lib/services/release/pin.ts:pin lib/services/release/build.ts:build */
#ifdef PIN_AT_LOG_END
       watermark = loglen;
#else
       watermark = prog[cur];                    /* lib/db/statements/progress.ts:readProgress */
#endif
       prog[1] = watermark;                      /* lib/db/statements/segment.ts:startProgress */
       assert(prog[1] <= prog[0]);
       M(1, IN) = nobj; nobj++; rel = BUILDING }
  :: atomic { rel == BUILDING && receipt && !reg && ingress == OPEN && rollback == NO_ROLLBACK ->      /* lib/services/release/seal.ts:seal */
       ingress = SEALED; barrier = prog[0]; rel = INGRESS_SEALED }
  /* sealed for too long: any applier that meets it reopens it, or a person does */
  :: atomic { ingress == SEALED && !reg && !reopened -> reopened = true; reopen() }   /* lib/services/release/reopen-expired.ts:reopenExpired lib/services/release/reopen-ingress.ts:reopenIngress */
#ifdef ENDS_UNDER
  :: atomic { BEFORE_CUTOVER && !reg ->          /* lib/services/release/end-release.ts:endRelease */
#else
  :: atomic { BEFORE_CUTOVER && !reg && !cand -> /* lib/services/release/end-release.ts:endRelease lib/db/statements/generation-map.ts:lockGeneration */
#endif
       if :: HOLDS_SEAL -> reopen() :: else fi;  /* lib/services/release/reopen-ingress.ts:reopenIngress */
       evidence = 0; rel = ABANDONED }
#ifdef KEEP_EVIDENCE
  :: atomic { !reg && ingress == SEALED && rollback == NO_ROLLBACK && cur == 0 && signature != 0 && signature == evidence &&     /* of the model alone */
#else
  :: atomic { rel == APPROVED && !reg && ingress == SEALED && cur == 0 && signature == evidence &&     /* lib/services/release/activate.ts:activate lib/db/statements/cutover.ts:switchGeneration */
#endif
       prog[0] == barrier && prog[1] == barrier ->
       assert(shown == DIGEST && checked == epoch);
       M(1, OUT) = M(0, OUT);                    /* lib/services/release/activate.ts:inheritRanges */
       cur = 1; epoch++; ingress = OPEN; barrier = 0; rel = ACTIVE; frozen = VIEW(0);
       assert(VIEW(1) == UPTO(prog[1])) }
  :: atomic { rel == ACTIVE && rollback == NO_ROLLBACK && !reg -> rollback = REPLAYING }     /* lib/services/release/rollback.ts:rollback */
  :: atomic { rollback != NO_ROLLBACK && !reg && !calledoff ->                               /* lib/services/release/rollback.ts:callOff */
       calledoff = true;
       if :: rollback == TAIL -> ingress = OPEN; epoch++; barrier = 0 :: else fi;
       rollback = NO_ROLLBACK }
  od }

init {
  atomic {
    M(0, OUT) = 0; M(0, IN) = 1; M(1, OUT) = NONE; M(1, IN) = NONE;
    run Appender(); run Applier(); run Applier(); run Builder(); run Builder(); run CatchUp(); run CatchUp();
    run Reconciler(); run Replay(); run Signer(); run Operator()
  };
  timeout ->
#ifdef REACH
  assert(!(rel == REACH && reopened));
#endif
  assert(ingress == OPEN && prog[cur] == E && VIEW(cur) == UPTO(E))       /* every event, once, in the active one */
}
