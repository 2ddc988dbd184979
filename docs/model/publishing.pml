/* Published partitions: sealed beside live writing, and kept through cutover and rollback.

   NOT YET in the code: this is the protocol as specified, written down before the code so that the code can be held to
   it. Steps that do exist (live writing, catch-up, cutover, rollback) name their file; those of publishing say "not in
   the code".

   The rules: publishing holds the dataset's registry row, takes the partition's figures, and maps it to a segment that
   is never written again; in the range of a release that is past its rehearsal it has to wait. Live writing and replay
   leave a published partition alone and note a pending correction by (partition, offset). A fact that moves between a
   published and an open partition: the open side follows the facts, the published side's correction carries the other
   leg. Cutover and rollback map every published partition to what was published and write down what the generation
   then in use would have instead.

   Checking it showed two things that the rules need and that are easily left out:
     a partition's publication keeps the progress that it was published at, and only later offsets are noted: replay
     after a rollback passes events that the published figures contain already (NOTE_CONTAINED);
     a rollback does not only reverse the release's own corrections: what was published while the new generation was
     in use needs one in the other direction (ONLY_REVERSES).

   One release over partition IN, partition OUT beside it, two keys, E events, each of which puts one key into one
   partition (so it appears, moves or stays). Contents are sets of keys; a generation's content of a partition is a
   value here, since copy on write is shown in protocol2.pml. TAG says which transform made what.

   Weakenings, each of which must fail:
     PUBLISH_NO_LOCK   figures are taken and the partition is closed without the registry row
     LIVE_WRITES       live writing writes into a published partition
     WHOLE_EVENT_WAITS an event that touches a published partition is left alone on the open side too
     ONE_LEG           only the partition that a fact moves into gets a correction
     NOTE_TWICE        pending corrections are not kept apart by offset: replay notes them again
     NOTE_CONTAINED    events that the published figures contain are noted
     CATCHUP_SKIPS     catch-up leaves the candidate's own version of a published partition alone
     CUTOVER_REPLACES  the cutover serves the candidate's version of a published partition
     ROLLBACK_REPLACES the rollback serves the old generation's version of it
     ONLY_REVERSES     a rollback reverses the release's corrections and writes no others
     UNFENCED          both fences gone: publishing does not wait, and the cutover does not compare the published set
   Two fences, of which each alone is enough (these must hold): NO_WAIT, NO_COMPARE.
   Ends that must be reached (their assertion must fail): REACH=1 published before the cutover, rolled back;
   REACH=2 published between cutover and rollback; REACH=3 a fact moved out of a published partition and back */
#ifndef E
#define E 3
#endif
#define IN  0
#define OUT 1
#define FACT(w,p) fact[(w) * 2 + (p)]            /* keys whose newest event at or below offset w is in p */
#define OWN(g,p)  own[(g) * 2 + (p)]
#define REF(g,p)  ref[(g) * 2 + (p)]
#define TAG(g,p)  ((g) == 1 && (p) == IN)
#define MOVED(e,p) (FACT(e,p) ^ FACT((e) - 1,p)) /* the key that event e brings into p or takes out of it, or 0 */
#define LEG(e,p)  ((pending[p] & (1 << (e))) -> MOVED(e,p) : 0)
#define LEGS(p)   (LEG(1,p) ^ LEG(2,p) ^ LEG(3,p) ^ LEG(4,p))
#define PAST_REHEARSAL ((rel == BUILDING && rehearsed) || rel == INGRESS_SEALED || rel == RECONCILED)
#ifdef UNFENCED
#define NO_WAIT
#define NO_COMPARE
#endif

mtype = { OPEN, SEALED };
mtype = { DRAFT, BUILDING, INGRESS_SEALED, RECONCILED, ACTIVE, ROLLED_BACK, ABANDONED };
mtype = { NO_ROLLBACK, REPLAYING, TAIL };

byte loglen = 0;
byte fact[10];                                   /* E <= 4 */
byte cur = 0, barrier = 0;
mtype ingress = OPEN, rel = DRAFT, rollback = NO_ROLLBACK;
bool rehearsed = false, setthen = false;         /* the published set of the range, as the evidence has it */
byte prog[2];
byte own[4];
bool ref[4];                                     /* mapped to what was published */
/* publications and corrections, per partition */
bool published[2], ptag[2];
byte at[2];                                      /* the progress that it was published at */
byte rows[2], figures[2];                        /* what is in the segment; what was published */
byte pending[2];                                 /* offsets with a correction */
bool after[2];                                   /* the transform of what the newest correction says would be */
bool ofrelease[2];                               /* the release wrote one */
bool reopened = false, calledoff = false, noted2 = false;

inline check1(p) {
  if
  :: published[p] ->
       assert(REF(cur,p) && rows[p] == figures[p]);                           /* served figures do not change */
       assert((figures[p] ^ LEGS(p)) == FACT(prog[cur],p));                   /* published + corrections = the facts */
       assert(after[p] == TAG(cur,p))
  :: else -> assert(OWN(cur,p) == FACT(prog[cur],p))                          /* an open partition follows the facts */
  fi }
inline check() {
  check1(IN); check1(OUT);
  assert(!noted2);
  assert(rel != BUILDING && rel != INGRESS_SEALED && rel != RECONCILED || OWN(1,IN) == FACT(prog[1],IN))
}

/* event e, partition p of a generation that serves or served */
inline touch(g, e, p) {
  if
  :: MOVED(e,p) == 0
  :: else ->
       if
       :: !published[p] ->
#ifdef WHOLE_EVENT_WAITS
            if :: published[1 - p] && MOVED(e, 1 - p) -> skip :: else -> OWN(g,p) = OWN(g,p) ^ MOVED(e,p) fi
#else
            OWN(g,p) = OWN(g,p) ^ MOVED(e,p)
#endif
       :: else ->
#ifdef LIVE_WRITES
            if :: g == cur -> rows[p] = rows[p] ^ MOVED(e,p) :: else fi;
#endif
            if
#ifndef NOTE_CONTAINED
            :: e <= at[p]
#endif
#ifdef ONE_LEG
            :: e > at[p] && !(FACT(e,p) & MOVED(e,p))
            :: (FACT(e,p) & MOVED(e,p)) &&
#else
            ::
#endif
#ifndef NOTE_CONTAINED
               e > at[p] ->
#else
               true ->
#endif
#ifdef NOTE_TWICE
                 if :: pending[p] & (1 << e) -> noted2 = true :: else fi;
#endif
                 pending[p] = pending[p] | (1 << e)
            fi
       fi
  fi }

/* at a switch to generation g: published partitions keep what was published */
inline keep(g, p) {
  if
  :: published[p] -> REF(g,p) = true; OWN(g,p) = 0;
       if :: after[p] != TAG(g,p) -> after[p] = TAG(g,p); ofrelease[p] = true :: else fi
  :: else
  fi }

inline append(k, p) {                            /* key k, a bit, is in p from this event on */
  FACT(loglen + 1, p) = FACT(loglen, p) | k; FACT(loglen + 1, 1 - p) = FACT(loglen, 1 - p) & (3 - k); loglen++ }

proctype Appender() {
end: do                                          /* all: lib/services/source/append-events.ts:appendEvents */
  :: d_step { loglen < E -> append(1, IN) }      /* lib/services/source/append-events.ts:appendEvents */
  :: d_step { loglen < E -> append(1, OUT) }     /* lib/services/source/append-events.ts:appendEvents */
  :: d_step { loglen < E -> append(2, IN) }      /* lib/services/source/append-events.ts:appendEvents */
  :: d_step { loglen < E -> append(2, OUT) }     /* lib/services/source/append-events.ts:appendEvents */
  od }

proctype Applier() {
end: do
  :: d_step { ingress == OPEN && prog[cur] < loglen ->                        /* lib/services/apply/apply-live.ts:applyLive; leaving a published partition alone: not in the code */
       touch(cur, prog[cur] + 1, IN); touch(cur, prog[cur] + 1, OUT); prog[cur]++; check() }
  od }

proctype CatchUp() {
end: do
  :: d_step { (rel == BUILDING || rel == INGRESS_SEALED) && prog[1] < prog[0] ->             /* lib/services/apply/apply-live.ts:catchUp */
       prog[1]++;
#ifdef CATCHUP_SKIPS
       if :: published[IN] -> skip :: else -> OWN(1,IN) = OWN(1,IN) ^ MOVED(prog[1],IN) fi;
#else
       OWN(1,IN) = OWN(1,IN) ^ MOVED(prog[1],IN);
#endif
       check() }
  :: d_step { rel == INGRESS_SEALED && prog[1] == barrier -> setthen = published[IN]; rel = RECONCILED }     /* lib/services/steps/evidence.ts:writeEvidence; the published set in it: not in the code */
  od }

proctype Replay() {
end: do
  :: d_step { rollback != NO_ROLLBACK && prog[0] < (rollback == TAIL -> barrier : prog[1]) ->        /* lib/services/apply/apply-live.ts:replay; leaving a published partition alone: not in the code */
       touch(0, prog[0] + 1, IN); touch(0, prog[0] + 1, OUT); prog[0]++; check() }
  :: d_step { rollback == REPLAYING -> ingress = SEALED; barrier = prog[1]; rollback = TAIL }        /* lib/services/release/rollback-steps.ts:sealForRollback */
  :: d_step { rollback == TAIL && prog[0] == barrier ->                                      /* lib/services/release/rollback-steps.ts:switchBack; keeping what was published: not in the code */
       cur = 0; ingress = OPEN; barrier = 0; rollback = NO_ROLLBACK; rel = ROLLED_BACK;
#if defined(ROLLBACK_REPLACES)
       if :: published[IN] -> after[IN] = TAG(0,IN) :: else fi;
#elif defined(ONLY_REVERSES)
       if :: published[IN] -> REF(0,IN) = true; OWN(0,IN) = 0; if :: ofrelease[IN] -> after[IN] = ptag[IN] :: else fi :: else fi;
       keep(0, OUT);
#else
       keep(0, IN); keep(0, OUT);
#endif
       check() }
  od }

#ifdef NO_WAIT
#define MAY_PUBLISH(p) (!published[p])
#else
#define MAY_PUBLISH(p) (!published[p] && !((p) == IN && PAST_REHEARSAL))
#endif
inline close(p, f, w) {
  published[p] = true; rows[p] = OWN(cur,p); figures[p] = f; at[p] = w;
  REF(cur,p) = true; OWN(cur,p) = 0; ptag[p] = TAG(cur,p); after[p] = ptag[p] }
proctype Publisher(bool p) {
#ifdef PUBLISH_NO_LOCK
  byte f, w;
end:  d_step { MAY_PUBLISH(p) -> f = OWN(cur,p); w = prog[cur] };                            /* not in the code */
end2: d_step { MAY_PUBLISH(p) -> close(p, f, w); check() }                                   /* not in the code */
#else
end:  d_step { MAY_PUBLISH(p) -> close(p, OWN(cur,p), prog[cur]); check() }                  /* not in the code */
#endif
}

#ifdef NO_COMPARE
#define SAMESET true
#else
#define SAMESET (setthen == published[IN])       /* lib/db/statements/cutover.ts:switchGeneration; this condition: not in the code */
#endif
proctype Operator() {
end: do
  :: d_step { rel == DRAFT -> prog[1] = prog[0]; OWN(1,IN) = FACT(prog[0],IN); rel = BUILDING; check() }     /* lib/services/release/pin.ts:pin lib/services/steps/build-partition.ts:buildPartition */
  :: d_step { rel == BUILDING && !rehearsed -> rehearsed = true }                            /* lib/services/steps/reconcile.ts:reconcile */
  :: d_step { rel == BUILDING && rehearsed -> ingress = SEALED; barrier = prog[0]; rel = INGRESS_SEALED }    /* lib/services/release/seal.ts:seal */
  :: d_step { (rel == INGRESS_SEALED || rel == RECONCILED) && !reopened ->                   /* lib/services/release/reopen-ingress.ts:reopenIngress */
       reopened = true; ingress = OPEN; barrier = 0; setthen = false; rel = BUILDING }
  :: d_step { rel == BUILDING || rel == INGRESS_SEALED || rel == RECONCILED ->               /* lib/services/release/end-release.ts:endRelease */
       ingress = OPEN; barrier = 0; setthen = false; rel = ABANDONED; OWN(1,IN) = 0; prog[1] = 0 }
  :: d_step { rel == RECONCILED && prog[1] == barrier && prog[0] == barrier && SAMESET ->    /* lib/services/release/activate.ts:activate; keeping what was published: not in the code */
       assert(setthen == published[IN]);         /* what was signed is what is cut over */
       assert(OWN(1,IN) == FACT(barrier,IN));    /* what the correction says would be */
       OWN(1,OUT) = OWN(0,OUT); REF(1,OUT) = REF(0,OUT);                      /* lib/services/release/activate.ts:inheritRanges */
       cur = 1; ingress = OPEN; barrier = 0; setthen = false; rel = ACTIVE;
#ifdef CUTOVER_REPLACES
       if :: published[IN] -> after[IN] = TAG(1,IN) :: else fi;
       keep(1, OUT);
#else
       keep(1, IN); keep(1, OUT);
#endif
       check() }
  :: d_step { rel == ACTIVE && rollback == NO_ROLLBACK -> rollback = REPLAYING }             /* lib/services/release/rollback.ts:rollback */
  :: d_step { rollback != NO_ROLLBACK && !calledoff -> calledoff = true;                     /* lib/services/release/rollback.ts:callOff */
       ingress = OPEN; barrier = 0; rollback = NO_ROLLBACK }
  od }

init {
  atomic {
    run Appender(); run Applier(); run CatchUp(); run Replay(); run Operator(); run Publisher(IN); run Publisher(OUT)
  };
  timeout ->
#ifdef REACH
  if
  :: REACH == 1 -> assert(!(rel == ROLLED_BACK && published[IN] && ofrelease[IN] && !ptag[IN]))
  :: REACH == 2 -> assert(!(rel == ROLLED_BACK && published[IN] && ptag[IN]))
  :: REACH == 3 -> assert(!(published[IN] && published[OUT] && LEG(1,IN) != 0 && LEG(2,IN) == LEG(1,IN) && LEG(2,OUT) != 0))
  fi;
#endif
  assert(ingress == OPEN && prog[cur] == E)
}
