/* Signing the rehearsal, so that no human waits while ingress is sealed.

   Of the code there are: the rehearsal and the final reconciliation, what the final one carries over, acceptances, the
   seal, the evidence and the signatures on it, the cutover that counts them. NOT YET in the code: the basis rehearsal,
   that is a signature on the rehearsal's digest R and its being counted for the final evidence F. That part is the
   protocol as specified; its steps say "not in the code".

   The rule: signatures on R count for F exactly if all of F outside the touched partitions equals R, and the checks of
   the tail are clean. R stands for one rehearsal's findings and for the frame around them: acceptances, the limits in
   force, the set of published partitions, the quarantine. A partition is touched if either side has another version
   than the rehearsal compared.

   Two partitions of the range, E events after the pin. An event touches one partition of the generation in use, where
   it may leave drift (a row that the old transform does not yield), and one of the candidate, perhaps another one,
   where it may leave a difference that no rule explains. Accepting drift names a partition at a version. A cutover
   needs the signatures of both approvers. What stands behind a step is where it is implemented, as file:name.

   Weakenings, each of which must fail:
     TORN             a rehearsal reads rows and versions of a chunk at different moments
     OLD_SIDE_ONLY    carried over is what has the same version on the old side
     NEW_SIDE_ONLY    carried over is what has the same version on the new side
     TAIL_UNCHECKED   what was touched since the rehearsal is not compared again
     ANY_REHEARSAL    a signature on an earlier rehearsal counts
     ANY_ACCEPTANCE   a signature on R counts although drift was accepted since
     ANY_FRAME        a signature on R counts although limits or the published set moved
     ANY_EPOCH        a signature on the final evidence of an earlier seal counts
     NO_SIGNER_LOCK   the cutover does not hold its signers' rows
     NO_RELEASE_LOCK  a hold does not wait for the cutover's locks
   Ends that must be reached (their assertion must fail):
     REACH=1          a cutover by signatures on R alone, given before the seal, with a touched partition in the tail
     REACH=2          the same after ingress was reopened and sealed again
     REACH=3          a cutover by one signature on R and one on F */
#ifndef E
#define E 2
#endif
mtype = { BUILDING, INGRESS_SEALED, CAUGHT_UP, RECONCILED, ACTIVE };

bool reg = false, persons = false;               /* the registry row (and with it the release's); the approvers' rows */
mtype rel = BUILDING;
byte epoch = 1, barrier = 0;
byte loglen = 0, prog[2];                        /* of the generation in use, of the candidate */
byte vold[2], vnew[2];                           /* versions of the partitions, by side */
bool drift[2], unexplained[2];                   /* what is the case at these versions */
byte rehearsals = 0;                             /* the standing rehearsal's number; 0: none */
byte rold[2], rnew[2]; bool rdrift[2], runexpl[2];
byte basis = 0;                                  /* the rehearsal that the final run carried over from */
bool compared[2];                                /* by the final run: compared again, not carried over */
bool fdrift[2], funexpl[2], fdone = false;
byte accepted[2];                                /* 0, or 1 + the old side's version whose drift was accepted */
bool frame = false;                              /* limits, published set, quarantine: as they were, or moved */
bool held = false;
bool role[2];
short onR[2], onF[2];                            /* the digests that each approver has signed; 0: none */
/* ghosts: what each had on the screen */
byte sold[4], snew[4]; bool sdrift[4], sunexpl[4];
byte sframe[2];
#ifdef REACH
bool early[2];                                   /* signed R before the first seal */
#define EARLY(q,x) early[q] = (x)
#else
#define EARLY(q,x) skip
#endif
bool reopened = false, disturbed = false;        /* bounds: one reopening, and one of: hold, lost role, moved frame */

#ifdef ANY_REHEARSAL
#define NUMBER(n) 0
#else
#define NUMBER(n) (n)
#endif
#ifdef ANY_ACCEPTANCE
#define ACCEPTANCES 0
#else
#define ACCEPTANCES (accepted[0] * 8 + accepted[1] * 32)
#endif
#ifdef ANY_FRAME
#define FRAME 0
#else
#define FRAME frame
#endif
#ifdef ANY_EPOCH
#define EPOCH 0
#else
#define EPOCH epoch
#endif
#define AROUND (frame * 4 + accepted[0] * 8 + accepted[1] * 32)
#define R_OF(n) (512 + NUMBER(n) + FRAME * 4 + ACCEPTANCES)
#define R_DIGEST R_OF(rehearsals)
#define F_DIGEST (1024 + EPOCH + AROUND)
#define TAKEN_CARE(p,d) (!(d) || accepted[p] == 1 + vold[p])
#define R_PASSED (!runexpl[0] && !runexpl[1] && (!rdrift[0] || accepted[0] == 1 + rold[0]) && (!rdrift[1] || accepted[1] == 1 + rold[1]))
#if defined(OLD_SIDE_ONLY)
#define UNTOUCHED(p) (rold[p] == vold[p])
#elif defined(NEW_SIDE_ONLY)
#define UNTOUCHED(p) (rnew[p] == vnew[p])
#else
#define UNTOUCHED(p) (rold[p] == vold[p] && rnew[p] == vnew[p])
#endif
#define CLEAN(p) (!compared[p] || (!funexpl[p] && !fdrift[p]))
/* the approver's signature counts: on F, or on R where the tail is clean */
#define COUNTS(q) (role[q] && (onF[q] == F_DIGEST || (onR[q] == R_OF(basis) && CLEAN(0) && CLEAN(1))))
#define SIGNED_F(q) (onF[q] != 0)
/* what an approver relied on is what is the case: as it was shown, or, for R, compared at the barrier and clean */
#define AS_SHOWN(q,p) (sold[(q)*2+(p)] == vold[p] && snew[(q)*2+(p)] == vnew[p] && sdrift[(q)*2+(p)] == drift[p] && sunexpl[(q)*2+(p)] == unexplained[p])
#define RELIED(q,p) (AS_SHOWN(q,p) || (!SIGNED_F(q) && compared[p] && !drift[p] && !unexplained[p]))

proctype Appender() {
end: do
  :: d_step { loglen < E -> loglen++ }           /* lib/services/source/append-events.ts:appendEvents */
  od }

/* one event into the generation in use: any partition, with or without drift */
inline live(p, d) { prog[0]++; vold[p]++; drift[p] = d }
proctype Applier() {
end: do
  :: atomic { !reg && rel == BUILDING && prog[0] < loglen ->     /* lib/services/apply/apply-live.ts:applyLive lib/db/statements/rows.ts:markTouched */
       if :: live(0, 0) :: live(0, 1) :: live(1, 0) :: live(1, 1) fi }
  od }

/* one event into the candidate, up to the generation in use, which sealed stands at the barrier */
inline catchup(p, u) { prog[1]++; vnew[p]++; unexplained[p] = u }
proctype CatchUp() {
end: do
  :: atomic { (rel == BUILDING || rel == INGRESS_SEALED) && prog[1] < prog[0] ->     /* lib/services/apply/apply-live.ts:catchUp */
       if :: catchup(0, 0) :: catchup(0, 1) :: catchup(1, 0) :: catchup(1, 1) fi }
  :: d_step { !reg && rel == INGRESS_SEALED && prog[1] == barrier -> rel = CAUGHT_UP }       /* lib/services/steps/advance.ts:sealedStep */
  od }

/* beside live writing, a chunk at a time, each in one snapshot of the database. It waits for nobody's lock */
proctype Rehearser() {
  byte wold[2], wnew[2]; bool wdrift[2], wunexpl[2];
end: do
  :: rel == BUILDING && rehearsals < 2 ->
#ifdef TORN
     d_step { wdrift[0] = drift[0]; wunexpl[0] = unexplained[0] };                           /* of the model alone */
     d_step { wold[0] = vold[0]; wnew[0] = vnew[0] };                                        /* of the model alone */
#else
     d_step { wold[0] = vold[0]; wnew[0] = vnew[0]; wdrift[0] = drift[0]; wunexpl[0] = unexplained[0] };     /* lib/services/steps/reconcile.ts:reconcileChunk */
#endif
     d_step { wold[1] = vold[1]; wnew[1] = vnew[1]; wdrift[1] = drift[1]; wunexpl[1] = unexplained[1] };     /* lib/services/steps/chunks.ts:comparedPartitions */
     d_step {                                    /* lib/services/steps/checks.ts:checkAll lib/services/steps/reconcile.ts:finish */
       if
       :: rel != ACTIVE ->                       /* also when it ends only after the seal */
            rold[0] = wold[0]; rnew[0] = wnew[0]; rdrift[0] = wdrift[0]; runexpl[0] = wunexpl[0];
            rold[1] = wold[1]; rnew[1] = wnew[1]; rdrift[1] = wdrift[1]; runexpl[1] = wunexpl[1];
            rehearsals++
       :: else
       fi;
       wold[0] = 0; wnew[0] = 0; wdrift[0] = 0; wunexpl[0] = 0; wold[1] = 0; wnew[1] = 0; wdrift[1] = 0; wunexpl[1] = 0 }
  od }

/* the final run: what neither side touched since the rehearsal is carried over, the tail is compared again. What an
   earlier final run compared may be carried over from it too: it is of the same version then, and was clean */
inline finally(p) {
#ifdef TAIL_UNCHECKED
  compared[p] = false;
#else
  compared[p] = !UNTOUCHED(p);
#endif
  fdrift[p] = (compared[p] -> drift[p] : rdrift[p]);
  funexpl[p] = (compared[p] -> unexplained[p] : runexpl[p])
}
inline forget() {                                /* lib/services/release/reopen.ts:forgetSeal */
  epoch++; barrier = 0; rel = BUILDING; fdone = false; basis = 0;
  compared[0] = false; fdrift[0] = false; funexpl[0] = false; compared[1] = false; fdrift[1] = false; funexpl[1] = false
}
proctype Reconciler() {
end: do
  :: d_step { rel == CAUGHT_UP && !fdone -> basis = rehearsals; finally(0); finally(1); fdone = true }           /* lib/services/steps/reconcile.ts:carryOver lib/services/steps/reconcile.ts:reconcile */
  :: d_step { !reg && rel == CAUGHT_UP && fdone && !funexpl[0] && !funexpl[1] &&             /* lib/services/steps/advance.ts:reconcileStep lib/services/steps/evidence.ts:writeEvidence */
       TAKEN_CARE(0, fdrift[0]) && TAKEN_CARE(1, fdrift[1]) -> rel = RECONCILED }
  od }

/* an approver; signing holds the registry row and the approver's own */
proctype Approver(byte q) {
end: do
  :: d_step { !reg && !persons && role[q] && rehearsals > 0 && R_PASSED && rel != ACTIVE && onR[q] != R_DIGEST ->    /* not in the code: a signature on R */
       onR[q] = R_DIGEST; onF[q] = 0; EARLY(q, epoch == 1 && rel == BUILDING); sframe[q] = AROUND;
       sold[q*2] = rold[0]; snew[q*2] = rnew[0]; sdrift[q*2] = rdrift[0]; sunexpl[q*2] = runexpl[0];
       sold[q*2+1] = rold[1]; snew[q*2+1] = rnew[1]; sdrift[q*2+1] = rdrift[1]; sunexpl[q*2+1] = runexpl[1] }
  :: d_step { !reg && !persons && role[q] && rel == RECONCILED && onF[q] != F_DIGEST ->      /* lib/services/release/sign.ts:sign */
       onF[q] = F_DIGEST; onR[q] = 0; EARLY(q, false); sframe[q] = AROUND;
       sold[q*2] = vold[0]; snew[q*2] = vnew[0]; sdrift[q*2] = fdrift[0]; sunexpl[q*2] = funexpl[0];
       sold[q*2+1] = vold[1]; snew[q*2+1] = vnew[1]; sdrift[q*2+1] = fdrift[1]; sunexpl[q*2+1] = funexpl[1] }
  od }

proctype Operator() {
end: do
  :: d_step { !reg && rel == BUILDING && rehearsals > 0 && R_PASSED && !held -> barrier = prog[0]; rel = INGRESS_SEALED }    /* lib/services/release/seal.ts:seal lib/domain/release-blockers.ts:sealBlockers */
  :: d_step { !reg && rel != BUILDING && rel != ACTIVE && !reopened -> reopened = true; forget() }   /* lib/services/release/reopen.ts:reopen lib/services/release/trouble.ts:enterTrouble */
  :: d_step { !reg && (rel == BUILDING || rel == CAUGHT_UP) && fdone == (rel == CAUGHT_UP) && rehearsals > 0 &&      /* lib/services/release/accept.ts:accept */
       (rel == CAUGHT_UP -> fdrift[0] && accepted[0] != 1 + vold[0] : rdrift[0] && accepted[0] != 1 + rold[0]) ->
       accepted[0] = 1 + (rel == CAUGHT_UP -> vold[0] : rold[0]) }
  :: d_step { !reg && (rel == BUILDING || rel == CAUGHT_UP) && fdone == (rel == CAUGHT_UP) && rehearsals > 0 &&      /* lib/services/release/accept.ts:accept */
       (rel == CAUGHT_UP -> fdrift[1] && accepted[1] != 1 + vold[1] : rdrift[1] && accepted[1] != 1 + rold[1]) ->
       accepted[1] = 1 + (rel == CAUGHT_UP -> vold[1] : rold[1]) }
  :: d_step { !reg && rel != RECONCILED && rel != ACTIVE && !disturbed -> disturbed = true; frame = true }         /* lib/services/release/accept.ts:whatIsThere lib/services/publication/publish.ts:publish */
#ifdef NO_RELEASE_LOCK
  :: d_step { rel != ACTIVE && !disturbed -> disturbed = true; held = true }                                        /* lib/services/release/flags.ts:flag */
#else
  :: d_step { !reg && rel != ACTIVE && !disturbed -> disturbed = true; held = true }                                /* lib/services/release/flags.ts:flag lib/services/release/move.ts:lockedMove */
#endif
#ifdef NO_SIGNER_LOCK
  :: d_step { !disturbed -> disturbed = true; role[0] = false }                                                   /* lib/services/people/set-roles.ts:writeRoles */
#else
  :: d_step { !persons && !disturbed -> disturbed = true; role[0] = false }                                       /* lib/services/people/set-roles.ts:writeRoles lib/services/people/set-roles.ts:lockPerson */
#endif
  od }

/* the cutover: locks, then one statement, then the commit; only what is locked cannot move between the last two */
proctype Cutover() {
  bool ok;
end: do
  :: d_step { !reg && !persons && rel == RECONCILED -> reg = true;                           /* lib/services/release/activate.ts:activate */
#ifndef NO_SIGNER_LOCK
       persons = true                            /* lib/db/statements/cutover.ts:lockSigners */
#endif
     };
     d_step { ok = (!held && prog[0] == barrier && prog[1] == barrier && COUNTS(0) && COUNTS(1)) };  /* lib/db/statements/cutover.ts:switchGeneration; counting R: not in the code */
     d_step {                                    /* commits, or refused: lib/services/release/activate.ts:explain */
       if
       :: ok ->
            assert(!held && role[0] && role[1]);
            assert(!unexplained[0] && !unexplained[1] && TAKEN_CARE(0, drift[0]) && TAKEN_CARE(1, drift[1]));
            assert(sframe[0] == AROUND && sframe[1] == AROUND);
            assert(RELIED(0,0) && RELIED(0,1) && RELIED(1,0) && RELIED(1,1));
            rel = ACTIVE;
#ifdef REACH
            if
            :: REACH == 1 -> assert(!(early[0] && early[1] && (compared[0] || compared[1])))
            :: REACH == 2 -> assert(!(early[0] && early[1] && reopened && (compared[0] || compared[1])))
            :: REACH == 3 -> assert(!(onR[0] != 0 && onF[1] != 0))
            fi
#endif
       :: else
       fi;
       ok = false; reg = false; persons = false }
  od }

init {
  atomic {
    role[0] = true; role[1] = true;
    run Appender(); run Applier(); run CatchUp(); run Rehearser(); run Reconciler();
    run Approver(0); run Approver(1); run Operator(); run Cutover()
  }
}
