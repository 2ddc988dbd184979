/* Published partitions: sealed beside live writing, and kept through cutover and rollback.

   The rules: publishing holds the dataset's registry row and takes the partition's figures; rows stay where they are,
   and from then on nobody writes there. In the range of a release that is past its rehearsal it has to wait, and while
   a drill is under way. Live writing and replay leave a published partition alone and note a pending correction by
   (partition, offset). A fact that moves between a published and an open partition: the open side follows the facts,
   the published side's correction carries the other leg. Cutover and rollback map every published partition to where
   the generation in use has it and write down what the generation then in use would have instead, wherever that is
   another thing than was last said, or something is pending. The cutover compares the published set with the one that
   was signed. A rollback computes its corrections before the lock and switches only if they are all there.

   Checking it showed two things that the rules need and that are easily left out:
     a partition's publication keeps the progress that it was published at, and only later offsets are noted: replay
     after a rollback passes events that the published figures contain already (NOTE_CONTAINED);
     a rollback does not only reverse the release's own corrections: what was published while the new generation was
     in use needs one in the other direction (ONLY_REVERSES).

   One release over partition IN, partition OUT beside it, two keys, E events, each of which puts one key into one
   partition (so it appears, moves or stays). Contents are sets of keys; a generation's content of a partition is a
   value here, since copy on write is shown in protocol2.pml. TAG says which transform made what. With AMEND somebody
   amends IN, once; with DRILL there is a drill, once, which goes by the published set of its origin. What stands behind
   a step is where it is implemented, as file:name.

   Weakenings, each of which must fail:
     PUBLISH_NO_LOCK   figures are taken and the partition is closed without the registry row
     LIVE_WRITES       live writing writes into a published partition
     WHOLE_EVENT_WAITS an event that touches a published partition is left alone on the open side too
     ONE_LEG           only the partition that a fact moves into gets a correction
     NOTE_TWICE        pending corrections are not kept apart by offset: replay notes them again
     NOTE_CONTAINED    events that the published figures contain are noted
     CATCHUP_SKIPS     catch-up leaves the candidate's own version of a published partition alone
     CUTOVER_REPLACES  the cutover serves the candidate's version of a published partition
     CUTOVER_SILENT    the cutover writes no correction
     ROLLBACK_REPLACES the rollback serves the old generation's version of it
     ONLY_REVERSES     a rollback reverses the release's corrections and writes no others
     NOT_COMPLETE      a rollback switches with the corrections that it computed before the lock, whatever was published
                       since
     UNFENCED          both fences gone: publishing does not wait, and the cutover does not compare the published set
     AMEND_UNFENCED    amending writes down what it computed before the lock, although the dataset was switched since
     NO_DRILL_WAIT     publishing does not wait for a drill
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
#define SINCE(e,p) ((e) > upto[p] -> LEG(e,p) : 0)                            /* not contained in the newest correction */
#define OPENLEGS(p) (SINCE(1,p) ^ SINCE(2,p) ^ SINCE(3,p) ^ SINCE(4,p))
#define PENDING(p) ((pending[p] >> (upto[p] + 1)) != 0)
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
byte pending[2];                                 /* offsets with a note */
byte said[2], upto[2];                           /* what the newest correction says would be, and what of the log it contains */
bool after[2];                                   /* the transform of that */
bool ofrelease[2];                               /* the release wrote one */
bool computed = false, found = false;            /* a rollback's corrections: computed, and IN among them */
bool reopened = false, calledoff = false, noted2 = false;
#ifdef DRILL
bool drilling = false, drilled = false;
bool drillset[2];                                /* the published set that the drill began with */
#define DRILLING drilling
#else
#define DRILLING false
#endif

inline check1(p) {
  if
  :: published[p] ->
       assert(REF(cur,p) && rows[p] == figures[p]);                           /* served figures do not change */
       assert((figures[p] ^ LEGS(p)) == FACT(prog[cur],p));                   /* published + what was noted = the facts */
       assert((said[p] ^ OPENLEGS(p)) == FACT(prog[cur],p));                  /* last corrected + what is pending = the facts */
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

inline correct(p, g, f, w) { after[p] = TAG(g,p); said[p] = f; upto[p] = w }
/* at a switch to generation g: what was published is served on, and what would be instead is written down */
inline keep(g, p) { REF(g,p) = true; OWN(g,p) = 0 }
inline correctSwitch(g, p, f, w) {
  if :: after[p] != TAG(g,p) || said[p] != f || PENDING(p) -> correct(p, g, f, w); ofrelease[p] = true :: else fi }

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
  :: d_step { ingress == OPEN && prog[cur] < loglen ->                        /* lib/services/apply/apply-live.ts:applyLive lib/services/apply/set-apart.ts:setApart */
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
  :: d_step { rel == INGRESS_SEALED && prog[1] == barrier -> setthen = published[IN]; rel = RECONCILED }     /* lib/services/steps/evidence.ts:writeEvidence lib/services/steps/evidence.ts:sealedInRange */
  od }

#ifdef NOT_COMPLETE
#define COMPLETE true
#else
#define COMPLETE (!published[IN] || found)       /* lib/services/release/rollback-published.ts:isComplete */
#endif
proctype Replay() {
end: do
  :: d_step { rollback != NO_ROLLBACK && prog[0] < (rollback == TAIL -> barrier : prog[1]) ->        /* lib/services/apply/apply-live.ts:replay lib/services/apply/set-apart.ts:setApart */
       touch(0, prog[0] + 1, IN); touch(0, prog[0] + 1, OUT); prog[0]++; check() }
  :: d_step { rollback == REPLAYING -> ingress = SEALED; barrier = prog[1]; rollback = TAIL }        /* lib/services/release/rollback-steps.ts:sealForRollback */
  :: d_step { rollback == TAIL && prog[0] == barrier && (!computed || (published[IN] && !found)) ->  /* lib/services/release/rollback-published.ts:rollbackCorrections */
       computed = true; found = published[IN] }
  :: d_step { rollback == TAIL && prog[0] == barrier && computed && COMPLETE ->              /* lib/services/release/rollback-steps.ts:switchBack lib/services/release/rollback-published.ts:keepPublished */
       cur = 0; ingress = OPEN; rollback = NO_ROLLBACK; rel = ROLLED_BACK;
       if
       :: published[IN] ->
#ifndef ROLLBACK_REPLACES
            keep(0, IN);
#endif
#ifdef ONLY_REVERSES
            if :: ofrelease[IN] -> after[IN] = ptag[IN]; said[IN] = FACT(barrier,IN); upto[IN] = barrier :: else fi
#else
            if :: found -> correctSwitch(0, IN, FACT(barrier,IN), barrier) :: else fi
#endif
       :: else
       fi;
       if :: published[OUT] -> keep(0, OUT) :: else fi;
       barrier = 0; computed = false; found = false;
       check() }
  od }

#ifdef NO_WAIT
#define WAITS(p) false
#else
#define WAITS(p) ((p) == IN && PAST_REHEARSAL)
#endif
#ifdef NO_DRILL_WAIT
#define MAY_PUBLISH(p) (!published[p] && !WAITS(p))
#else
#define MAY_PUBLISH(p) (!published[p] && !WAITS(p) && !DRILLING)              /* lib/services/publication/publish.ts:publishBlockers */
#endif
inline close(p, f, w) {                          /* lib/services/publication/publish.ts:store */
  published[p] = true; rows[p] = OWN(cur,p); figures[p] = f; at[p] = w;
  ptag[p] = TAG(cur,p); correct(p, cur, f, w); keep(cur, p) }
proctype Publisher(bool p) {
#ifdef PUBLISH_NO_LOCK
  byte f, w;
end:  d_step { MAY_PUBLISH(p) -> f = OWN(cur,p); w = prog[cur] };                            /* of the model alone */
end2: d_step { MAY_PUBLISH(p) -> close(p, f, w); check() }                                   /* of the model alone */
#else
end:  d_step { MAY_PUBLISH(p) -> close(p, OWN(cur,p), prog[cur]); check() }                  /* lib/services/publication/publish.ts:publish */
#endif
}

#ifdef AMEND
/* computes without the dataset's lock; under it only the order of corrections is decided */
proctype Amender(bool p) {
  bool g, over = false;
  byte w;
end: do
  :: d_step { published[p] && !over -> g = cur; w = prog[cur]; over = true };                /* lib/services/publication/amend.ts:computed lib/services/publication/would-be.ts:wouldBeOf */
     d_step {                                    /* lib/services/publication/amend.ts:amend lib/services/publication/amend.ts:isBehind */
       if
#ifndef AMEND_UNFENCED
       :: cur != g || upto[p] > w -> over = false            /* tried again */
#endif
       :: else -> correct(p, g, FACT(w,p), w); check()
       fi;
       g = 0; w = 0 }
  od }
#endif

#ifdef NO_COMPARE
#define SAMESET true
#else
#define SAMESET (setthen == published[IN])       /* lib/db/statements/cutover.ts:publishedInRange */
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
  :: d_step { rel == RECONCILED && prog[1] == barrier && prog[0] == barrier && SAMESET ->    /* lib/services/release/activate.ts:activate lib/db/statements/cutover.ts:switchGeneration */
       assert(setthen == published[IN]);         /* what was signed is what is cut over */
       assert(OWN(1,IN) == FACT(barrier,IN));    /* what the correction says would be */
       OWN(1,OUT) = OWN(0,OUT); REF(1,OUT) = REF(0,OUT);                      /* lib/services/release/activate.ts:inheritRanges */
       cur = 1; ingress = OPEN; setthen = false; rel = ACTIVE;
       if
       :: published[IN] ->
#ifndef CUTOVER_SILENT
            correctSwitch(1, IN, OWN(1,IN), barrier);                         /* lib/db/statements/correction.ts:correctByCutover */
#endif
#ifndef CUTOVER_REPLACES
            keep(1, IN)                          /* lib/domain/sealed.ts:keepSealed */
#endif
       :: else
       fi;
       barrier = 0; check() }
  :: d_step { rel == ACTIVE && rollback == NO_ROLLBACK -> rollback = REPLAYING }             /* lib/services/release/rollback.ts:rollback */
  :: d_step { rollback != NO_ROLLBACK && !calledoff -> calledoff = true;                     /* lib/services/release/rollback.ts:callOff */
       ingress = OPEN; barrier = 0; rollback = NO_ROLLBACK; computed = false; found = false }
#ifdef DRILL
  :: d_step { rel == BUILDING && !drilling && !drilled ->                                    /* lib/services/release/drill.ts:drill lib/db/statements/fork.ts:makeFork */
       drilling = true; drillset[IN] = published[IN]; drillset[OUT] = published[OUT] }
  :: d_step { drilling ->                        /* lib/services/steps/drill.ts:drillStep lib/services/steps/drill-end.ts:endDrill */
       assert(drillset[IN] == published[IN] && drillset[OUT] == published[OUT]);             /* its origin's, throughout */
       drilling = false; drilled = true; drillset[IN] = false; drillset[OUT] = false }
#endif
  od }

init {
  atomic {
    run Appender(); run Applier(); run CatchUp(); run Replay(); run Operator(); run Publisher(IN); run Publisher(OUT);
#ifdef AMEND
    run Amender(IN)
#else
    skip
#endif
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
