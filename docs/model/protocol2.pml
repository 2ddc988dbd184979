/* The cutover protocol over two shards and three generations: release 1 makes generation 1, release 2 makes generation
   2, from whatever is active when it is pinned (so also after a rollback of release 1, or while release 1 may still be
   rolled back). Readers hold leases; generations are hidden, unmapped and their rows deleted. With MOVE instead
   of the second release: one release, and a partition that is moved by a copy and a turn of the map. With DRILL instead
   of releases: live writing of generation 0 beside forks that begin to share its partitions, twice.

   Event e of shard s falls into partition P(s,e); a release's range is partition IN. An object stands for (segment,
   partition); its content is the set of events applied to it. Each epoch has a write segment of its own, each rollback
   a segment for its replay: into what already lies there a writer writes without asking who shares it.

   A transaction is one step where all that it reads is guarded by what it locks first; what is read before that is a
   step of its own and may be stale, and the process may die between. All who change what is served hold the dataset's
   one registry row for update. Checks and signatures are in protocol.pml and rehearsal.pml. Bit 7 of an object means
   that somebody's leftover rows are in it. Behind each step stands where it is implemented, as file:name.

   Weakenings, each of which must fail:
     NO_LOCK             the applier does not hold the registry row
     BARRIER_EARLY       the barrier is read before the lock
     CATCHUP_AHEAD       before the seal, catch-up goes to the log's end
     REPLAY_AHEAD        replay goes to the log's end
     COW_PAIR            shared is what the generation before or after it maps, not what any generation maps
     REUSE_DIRTY         a segment number is used again, with what lies in it
     REBUILD             a built partition is built again once catch-up has begun
     ROLL_BESIDE_CUTOVER seals and cutovers go on during a rollback, which ends nobody's seal
     DROP_LEASED         a generation is unmapped under its readers
     PIN_RACY            the pointer is read in one statement and the lease granted in another
     DROP_SHARED         what a generation maps is deleted with it, whoever maps it too
     HIDE_BASE           a generation is hidden although a release under way stands on it, or a rollback goes to it
     and with MOVE:
     TURN_UNCHECKED      a map is turned over to a copy although the partition was written to meanwhile
     and with DRILL:
     MAP_NO_LOCK         the fork begins to share without the registry row
     FORK_KEEPS_SEGMENT  the fork does not give the generation in use a new write segment
   Ends that must be reached (their assertion must fail): REACH=1 … 4.
   NO_BASE_CHECK, not checking at seal and cutover that the generation pinned on is the active one, is no weakening for
   the events: that rule keeps the evidence true, not the counts */
#ifndef N
#define N 2                       /* events per shard */
#endif
#define P(s,e)   (((s) + (e)) & 1)
#define BIT(s,e) (1 << ((s) * N + (e) - 1))
#define LOW(n)   ((1 << (n)) - 1)
#define PR(g,s)  prog[(g) * 2 + (s)]             /* the last offset scanned, per shard */
#define UPTO(g)  (LOW(PR(g,0)) | (LOW(PR(g,1)) << N))
#if N == 2
#define INMASK 9
#else
#define INMASK 1                                 /* of N = 1 */
#endif
#define IN  1
#define OUT 0
#define NONE 15
#define NOBJ 9
#define BAD 128
#define M(g,p) map[(g) * 2 + (p)]
#define VIEW(g) (obj[M(g,IN)] | obj[M(g,OUT)])
#define LEFT 14                                  /* of an epoch: it lay in the write segment, and was moved out of it */
#define MAPS(o) (copy == (o) || map[0]==(o) || map[1]==(o) || map[2]==(o) || map[3]==(o) || map[4]==(o) || map[5]==(o))
#define ANYSHARED(g,p,o) (((g) != 0 && M(0,p) == (o)) || ((g) != 1 && M(1,p) == (o)) || ((g) != 2 && M(2,p) == (o)))
#ifdef COW_PAIR
#define OTHER(g) ((g) == 0 -> (gen[2] == SERVING || rollback == 2 -> 2 : 1) : base[g])
#define SHARED(g,p,o) (M(OTHER(g),p) == (o))
#else
#define SHARED(g,p,o) ANYSHARED(g,p,o)           /* lib/db/statements/generation-map.ts:sharedPartitions */
#endif
#define FULL(g) (gen[g] != GONE && M(g,OUT) != NONE)
#define HOLDS_SEAL(r) (rel[r] == INGRESS_SEALED || rel[r] == CAUGHT_UP)
#define UNDER_WAY(r) (rel[r] == BUILDING || HOLDS_SEAL(r))

mtype = { OPEN, SEALED };
mtype = { DRAFT, BUILDING, INGRESS_SEALED, CAUGHT_UP, ACTIVE, ROLLED_BACK, ABANDONED, RETIRED };
mtype = { GONE, CANDIDATE, SERVING, KEPT, HIDDEN };

/* the registry row */
bool reg = false;                                /* held for update */
byte cur = 0;
byte sealer = 0;                                 /* the release, or 10 + the release whose rollback it is */
mtype ingress = OPEN;
byte barrier[2];
byte ws[4];                                      /* per partition, what of it lies in the epoch's write segment, and (2, 3) in the replay's */
byte rollback = 0;                               /* the release that is being rolled back */
/* releases, generations, the log */
mtype rel[3]; byte base[3];
mtype gen[3]; byte leases[3];
byte log_[2];
byte obj[16];                                    /* 15: nothing */
byte map[6];
byte prog[6];
byte copy = NONE;                                /* a copy that no map names yet */
bool reopened = false, calledoff = false, movedone = false;      /* bounds */
#ifdef BARRIER_EARLY
byte early[2]; bool earlyset = false;
#endif
hidden byte i_, n_, p_, o_;

#ifdef NO_LOCK
#define FREE true
#else
#define FREE (!reg)
#endif

inline alloc() {                  /* an object that nobody maps, in a segment that is new: lib/db/statements/segment.ts:newSegment */
  n_ = 0;
  do :: n_ < NOBJ && MAPS(n_) -> n_++ :: else -> break od;
  assert(n_ < NOBJ);
#ifdef REUSE_DIRTY
  obj[n_] = (obj[n_] != 0 -> BAD : 0)
#else
  obj[n_] = 0
#endif
}
inline tidy() {                   /* rows that no map names are deleted: lib/services/steps/retire.ts:deleteSegments lib/db/statements/mapped-partitions.ts:deleteUnmapped */
#ifndef REUSE_DIRTY
  i_ = 0; do :: i_ < NOBJ -> if :: !MAPS(i_) -> obj[i_] = 0 :: else fi; i_++ :: else -> break od;
#endif
  i_ = 0
}
/* into a generation that serves or served: copy on write, into seg: lib/services/apply/apply-batch.ts:copyOnWrite */
inline write(g, s, e, seg) {
  p_ = P(s,e); o_ = M(g,p_);
  if
  :: o_ != ws[(seg) + p_] && SHARED(g,p_,o_) -> assert(ws[(seg) + p_] != LEFT);
       alloc(); obj[n_] = obj[n_] | obj[o_]; M(g,p_) = n_; o_ = n_; ws[(seg) + p_] = n_
  :: else
  fi;
  put(s, e); tidy()
}
inline put(s, e) {
  assert(!(obj[o_] & BIT(s,e)));                           /* exactly once */
  obj[o_] = obj[o_] | BIT(s,e);
  n_ = 0; p_ = 0; o_ = 0
}
inline newepoch() { ws[0] = NONE; ws[1] = NONE }           /* the next epoch, with a write segment of its own: lib/db/statements/segment.ts:newSegment */
inline open_() { ingress = OPEN; sealer = 0; barrier[0] = 0; barrier[1] = 0; newepoch() }    /* lib/services/release/reopen-ingress.ts:reopenIngress */
inline check() {                  /* every complete generation holds exactly its own progress, a candidate its range; while
                                     sealed, the generation in use stands at the barrier */
  assert(ingress == OPEN || (PR(cur,0) == barrier[0] && PR(cur,1) == barrier[1]));
  assert(!FULL(0) || VIEW(0) == UPTO(0));
  assert(!FULL(1) || VIEW(1) == UPTO(1));
  assert(!FULL(2) || VIEW(2) == UPTO(2));
  assert(gen[1] != CANDIDATE || obj[M(1,IN)] == (UPTO(1) & INMASK));
  assert(gen[2] != CANDIDATE || obj[M(2,IN)] == (UPTO(2) & INMASK))
}

proctype Appender() {
end_a: do
  :: d_step { log_[0] < N -> log_[0]++ }                   /* lib/services/source/append-events.ts:appendEvents */
  :: d_step { log_[1] < N -> log_[1]++ }                   /* lib/db/statements/append-events.ts:lockShards */
  od }

proctype Applier() {
  byte g, s, e; mtype st = OPEN;
end_w: do
  :: atomic { FREE && ingress == OPEN && (log_[0] > PR(cur,0) || log_[1] > PR(cur,1)) ->     /* lib/services/apply/apply-live.ts:applyLive lib/db/statements/registry.ts:lockRegistry */
       if :: log_[0] > PR(cur,0) -> s = 0 :: log_[1] > PR(cur,1) -> s = 1 fi;
#ifndef NO_LOCK
       reg = true;
#endif
       g = cur; st = ingress };
     d_step {                                              /* commits (to die here is to be where it began): lib/services/apply/apply-batch.ts:applyBatch */
       if
       :: st == OPEN && PR(g,s) < log_[s] ->
            e = PR(g,s) + 1; write(g,s,e,0); PR(g,s) = e; check(); assert(g == cur && ingress == OPEN)
       :: else
       fi;
       reg = false; g = 0; e = 0; s = 0; st = OPEN }
  od }

/* catch-up of the candidates. Weaker than the code, which reads the limit under the lock of the progress */
#ifdef CATCHUP_AHEAD
#define LIM(r,s) (rel[r] == BUILDING -> log_[s] : barrier[s])
#else
#define LIM(r,s) (rel[r] == BUILDING -> PR(base[r],s) : barrier[s])
#endif
#define CAN(r,s) ((rel[r] == BUILDING || rel[r] == INGRESS_SEALED) && PR(r,s) < LIM(r,s))
#define MET(r) (rel[r] == INGRESS_SEALED && PR(r,0) == barrier[0] && PR(r,1) == barrier[1])
proctype CatchUp() {
  byte r, s, lim;
end_c: do
  :: atomic { if                                           /* lib/services/steps/advance.ts:catchUpTo */
       :: CAN(1,0) -> r = 1; s = 0; lim = LIM(1,0)
       :: CAN(1,1) -> r = 1; s = 1; lim = LIM(1,1)
       :: CAN(2,0) -> r = 2; s = 0; lim = LIM(2,0)
       :: CAN(2,1) -> r = 2; s = 1; lim = LIM(2,1)
       fi };
     d_step {                                              /* lib/services/apply/apply-live.ts:catchUp lib/db/statements/progress.ts:lockProgress */
       if
       :: gen[r] == CANDIDATE && PR(r,s) < lim ->
            if
            :: P(s, PR(r,s) + 1) == IN ->
                 p_ = IN; o_ = M(r,IN); assert(!ANYSHARED(r,IN,o_)); put(s, PR(r,s) + 1)     /* nothing of a candidate is shared */
            :: else
            fi;
            PR(r,s) = PR(r,s) + 1; check();
            assert(PR(r,s) <= PR(base[r],s))               /* else it can never meet the generation in use at a barrier */
       :: else
       fi;
       r = 0; s = 0; lim = 0 }
  :: d_step { FREE && MET(1) -> rel[1] = CAUGHT_UP }       /* lib/services/steps/advance.ts:sealedStep */
  :: d_step { FREE && MET(2) -> rel[2] = CAUGHT_UP }       /* lib/services/steps/advance.ts:moveOn */
  od }

inline replay(r, s) {
  write(base[r], s, PR(base[r],s) + 1, 2); PR(base[r],s) = PR(base[r],s) + 1; check();
  assert(PR(base[r],s) <= PR(cur,s))
}
#ifdef REPLAY_AHEAD
#define RLIM(r,s) log_[s]
#else
#define RLIM(r,s) (sealer == 10 + (r) -> barrier[s] : PR(r,s))
#endif
proctype Replay() {               /* all: lib/services/apply/apply-live.ts:replay lib/services/release/rollback-steps.ts:replayNext */
end_r: do
  :: d_step { FREE && rollback == 1 && PR(base[1],0) < RLIM(1,0) -> replay(1,0) }            /* lib/services/apply/apply-live.ts:replay */
  :: d_step { FREE && rollback == 1 && PR(base[1],1) < RLIM(1,1) -> replay(1,1) }            /* lib/services/apply/apply-live.ts:replay */
  :: d_step { FREE && rollback == 2 && PR(base[2],0) < RLIM(2,0) -> replay(2,0) }            /* lib/services/apply/apply-live.ts:replay */
  :: d_step { FREE && rollback == 2 && PR(base[2],1) < RLIM(2,1) -> replay(2,1) }            /* lib/services/apply/apply-live.ts:replay */
  od }

proctype Reader() {
  byte g;
#ifdef PIN_RACY
  g = cur; leases[g]++;
#else
  atomic { g = cur; leases[g]++ };                         /* lib/db/statements/lease.ts:grantLeaseOnce */
#endif
  d_step { assert(FULL(g)); assert(VIEW(g) == UPTO(g)) };  /* a page: lib/db/statements/read-page.ts */
  d_step { assert(FULL(g)); assert(VIEW(g) == UPTO(g)) };  /* the next one: lib/services/dataset/read-rows.ts */
  atomic { leases[g]--; g = 0 } }                          /* lib/db/statements/lease.ts:endLeaseOf */

#ifdef ROLL_BESIDE_CUTOVER
#define QUIET true
#define UNSEAL skip
#else
#define QUIET (rollback == 0)
#define UNSEAL if :: ingress == SEALED && sealer < 10 -> rel[sealer] = BUILDING; open_() :: else fi    /* lib/services/release/rollback.ts:endForeignSeal */
#endif
#define EARLIER_DONE(r) ((r) == 1 || rel[1] == ACTIVE || rel[1] == ROLLED_BACK || rel[1] == ABANDONED || rel[1] == RETIRED)    /* lib/services/release/prepare.ts:overlapBlockers */
#ifdef NO_BASE_CHECK
#define SAMEBASE(r) true
#else
#define SAMEBASE(r) (cur == base[r])
#endif

/* people who may do whatever the state allows, in any order: lib/services/release/move.ts:lockedMove */
proctype Operator(byte r) {
end_o: do
  :: d_step { FREE && rel[r] == DRAFT && EARLIER_DONE(r) ->                                  /* lib/services/release/pin.ts:pin lib/services/steps/build-partition.ts:buildPartition */
       base[r] = cur; PR(r,0) = PR(cur,0); PR(r,1) = PR(cur,1);
       alloc(); obj[n_] = obj[n_] | (UPTO(r) & INMASK); M(r,IN) = n_; gen[r] = CANDIDATE; rel[r] = BUILDING; n_ = 0; check() }
#ifdef BARRIER_EARLY
  :: d_step { r == 1 && ingress == OPEN && !earlyset -> early[0] = PR(cur,0); early[1] = PR(cur,1); earlyset = true }    /* of the model alone */
#endif
#ifdef REBUILD
  :: d_step { rel[r] == BUILDING && obj[M(r,IN)] == INMASK -> obj[M(r,IN)] = 0; check() }    /* of the model alone */
#endif
  :: d_step { FREE && rel[r] == BUILDING && ingress == OPEN && SAMEBASE(r) && QUIET ->       /* lib/services/release/seal.ts:seal */
       ingress = SEALED; sealer = r; rel[r] = INGRESS_SEALED;
#ifdef BARRIER_EARLY
       if :: earlyset -> barrier[0] = early[0]; barrier[1] = early[1] :: else -> barrier[0] = PR(cur,0); barrier[1] = PR(cur,1) fi
#else
       barrier[0] = PR(cur,0); barrier[1] = PR(cur,1);
#endif
       check() }
  :: d_step { FREE && ingress == SEALED && sealer == r && !reopened -> reopened = true; rel[r] = BUILDING; open_() }     /* lib/services/release/reopen-expired.ts:reopenExpired lib/services/release/reopen.ts:fallBack */
  :: d_step { FREE && UNDER_WAY(r) ->                                                        /* lib/services/release/end-release.ts:endRelease */
       if :: sealer == r -> open_() :: else fi;
       rel[r] = ABANDONED; gen[r] = HIDDEN }
  :: d_step { FREE && rel[r] == CAUGHT_UP && sealer == r && ingress == SEALED && SAMEBASE(r) && QUIET &&     /* lib/services/release/activate.ts:activate lib/db/statements/cutover.ts:switchGeneration */
         PR(r,0) == barrier[0] && PR(r,1) == barrier[1] && PR(cur,0) == barrier[0] && PR(cur,1) == barrier[1] ->
       gen[cur] = KEPT; gen[r] = SERVING;
       M(r,OUT) = M(cur,OUT); cur = r; open_(); rel[r] = ACTIVE; tidy(); check() }           /* lib/services/release/activate.ts:inheritRanges */
  /* only of the release whose generation is active, into a generation that is kept; it ends another release's seal */
  :: d_step { FREE && rel[r] == ACTIVE && rollback == 0 && cur == r && gen[base[r]] == KEPT ->       /* lib/services/release/rollback.ts:rollback */
       UNSEAL; rollback = r; ws[2] = NONE; ws[3] = NONE }
  :: d_step { FREE && rollback == r && ingress == OPEN ->                                    /* lib/services/release/rollback-steps.ts:sealForRollback */
       ingress = SEALED; sealer = 10 + r; barrier[0] = PR(cur,0); barrier[1] = PR(cur,1) }
  :: d_step { FREE && rollback == r && !calledoff -> calledoff = true;                       /* lib/services/release/rollback.ts:callOff lib/services/release/rollback-row.ts:failRollback */
       if :: sealer == 10 + r -> open_() :: else fi; rollback = 0; ws[2] = NONE; ws[3] = NONE }
  :: d_step { FREE && rollback == r && sealer == 10 + r && PR(base[r],0) == barrier[0] && PR(base[r],1) == barrier[1] ->     /* lib/services/release/rollback-steps.ts:switchBack */
       assert(cur == r && gen[base[r]] == KEPT && PR(cur,0) == barrier[0] && PR(cur,1) == barrier[1]);
       gen[cur] = KEPT; cur = base[r]; gen[cur] = SERVING; open_(); rollback = 0; ws[2] = NONE; ws[3] = NONE; rel[r] = ROLLED_BACK; check() }
  od }

/* retiring: hide, then unmap when no lease is left: lib/services/steps/retire.ts:retireGenerations */
#define STANDS_ON(g) ((UNDER_WAY(1) && base[1] == (g)) || (UNDER_WAY(2) && base[2] == (g)))
proctype Retirer(byte g) {
end_t: do
#ifdef HIDE_BASE
  :: d_step { FREE && g != cur && gen[g] == KEPT -> gen[g] = HIDDEN }                        /* lib/services/steps/retire.ts:hide */
#else
  :: d_step { FREE && g != cur && gen[g] == KEPT && rollback == 0 && !STANDS_ON(g) -> gen[g] = HIDDEN }      /* lib/services/steps/retire.ts:hide */
#endif
#ifdef DROP_LEASED
  :: d_step { FREE && gen[g] == HIDDEN && rollback == 0 ->                                   /* lib/services/steps/retire.ts:unmap */
#else
  :: d_step { FREE && gen[g] == HIDDEN && rollback == 0 && leases[g] == 0 ->                 /* lib/services/steps/retire.ts:unmap lib/services/steps/retire.ts:retireBlockers */
#endif
#ifdef DROP_SHARED
       if :: M(g,IN) != NONE -> obj[M(g,IN)] = 0 :: else fi;
       if :: M(g,OUT) != NONE -> obj[M(g,OUT)] = 0 :: else fi;
#endif
       if :: rel[1] == ACTIVE && base[1] == g -> rel[1] = RETIRED :: rel[2] == ACTIVE && base[2] == g -> rel[2] = RETIRED :: else fi;
       gen[g] = GONE; M(g,IN) = NONE; M(g,OUT) = NONE; PR(g,0) = 0; PR(g,1) = 0; tidy(); check() }
  od }

#ifdef MOVE
/* a partition is moved to a segment of its own: copied without any lock, then the map is turned over if nothing of it
   changed meanwhile. Large shared partitions before they are written to, and cut-up maps, are moved so */
#define MAY_TURN(g) (ingress == OPEN && rollback == 0 || rollback != 0 && g != cur)         /* lib/services/steps/compact.ts:compact lib/services/apply/copy-ahead.ts:copyingAhead */
#ifdef TURN_UNCHECKED
#define UNCHANGED true
#else
#define UNCHANGED (obj[o] == was && M(g,p) == o)
#endif
proctype Mover() {
  byte g, p, o, was;
end_m: do
  :: atomic { !movedone && MAY_TURN(cur) -> movedone = true;                               /* lib/services/apply/move-partitions.ts:movePartitions lib/db/statements/mapped-partitions.ts:mappedPartitions */
       if :: g = cur :: rollback != 0 -> g = base[rollback] fi;
       if :: p = IN :: p = OUT fi;
       o = M(g,p); was = obj[o] };
     if
     :: d_step { o != NONE && M(g,p) != NONE && MAPS(o) -> alloc(); obj[n_] = obj[n_] | obj[o]; copy = n_; n_ = 0 };     /* lib/db/statements/rows.ts:copyPartitions */
        d_step {                                                                             /* lib/db/statements/mapped-partitions.ts:holdCopies lib/db/statements/generation-map.ts:saveMap */
          FREE ->
          if
          :: MAY_TURN(g) && gen[g] != GONE && M(g,p) != NONE && UNCHANGED ->
               if :: g == cur && ws[p] == o -> ws[p] = LEFT :: g != cur && ws[2 + p] == o -> ws[2 + p] = LEFT :: else fi;
               M(g,p) = copy; copy = NONE; tidy(); check()
          :: else -> copy = NONE; tidy()                                                     /* lib/db/statements/mapped-partitions.ts:deleteUnmapped */
          fi;
          g = 0; p = 0; o = 0; was = 0 }
     :: else -> atomic { g = 0; p = 0; o = 0; was = 0 }    /* it is gone already: of the model alone */
     fi
  od }

#endif

#ifdef DRILL
/* a fork of the dataset begins to share the partitions of the generation in use. Not in the code of releases: it is
   what a drill does, with its own registry row and its own generation */
proctype Fork(byte f) {
  byte e, o; bool sharedthen;
#ifdef MAP_NO_LOCK
  /* a writer decided that it shares nothing; the fork takes the map; the writer writes in place */
end_f1: atomic { FREE && log_[0] > PR(0,0) -> reg = true; e = PR(0,0) + 1; o = M(0,P(0,e)); sharedthen = SHARED(0,P(0,e),o) };      /* of the model alone */
end_f2: d_step { !sharedthen && gen[f] == GONE -> gen[f] = KEPT; M(f,IN) = M(0,IN); M(f,OUT) = M(0,OUT); PR(f,0) = PR(0,0); PR(f,1) = PR(0,1) };    /* of the model alone */
end_f3: d_step { PR(0,0) + 1 == e && o == M(0,P(0,e)) -> obj[o] = obj[o] | BIT(0,e); PR(0,0) = e; reg = false; check() }      /* of the model alone */
#else
end_f:  d_step { FREE && ingress == OPEN ->                /* not in the code of releases: a drill's fork */
    gen[f] = KEPT; M(f,IN) = M(0,IN); M(f,OUT) = M(0,OUT); PR(f,0) = PR(0,0); PR(f,1) = PR(0,1);
#ifndef FORK_KEEPS_SEGMENT
    newepoch();
#endif
    check() }
#endif
}
#endif

init {
  atomic {
    i_ = 0; do :: i_ < 6 -> map[i_] = NONE; i_++ :: else -> break od; i_ = 0;
    newepoch(); ws[2] = NONE; ws[3] = NONE;
    M(0,OUT) = 0; M(0,IN) = 1;
    rel[0] = ACTIVE; rel[1] = DRAFT; rel[2] = DRAFT;
    gen[0] = SERVING; gen[1] = GONE; gen[2] = GONE;
    run Appender(); run Applier();
#ifdef DRILL
    run Fork(1); run Fork(2)
#else
    run CatchUp(); run Replay(); run Operator(1); run Retirer(0);
#ifdef MOVE
    run Mover()
#else
    run Reader(); run Operator(2); run Retirer(1); run Retirer(2)
#endif
#endif
  };
  timeout ->
#ifdef REACH
  if
  :: REACH == 1 -> assert(!(rel[1] == ROLLED_BACK && (rel[2] == ACTIVE || rel[2] == RETIRED) && cur == 2))
  :: REACH == 2 -> assert(!(rel[1] == ROLLED_BACK && rel[2] == ROLLED_BACK && base[2] == 0 && cur == 0))
  :: REACH == 3 -> assert(!(rel[2] == ROLLED_BACK && base[2] == 1 && rel[1] == ROLLED_BACK && cur == 0))
  :: REACH == 4 -> assert(!(rel[2] == RETIRED && base[2] == 1 && gen[0] == GONE && gen[1] == GONE))
  fi;
#endif
  assert(ingress == OPEN && rollback == 0);
  assert(PR(cur,0) == N && PR(cur,1) == N && VIEW(cur) == LOW(2 * N))
}
