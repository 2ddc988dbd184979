// What `npm run model` checks, and what must come of it.

/**
 * @typedef {object} Model
 * @property {string} file below docs/model
 * @property {string[]} holds settings under which no assertion may fail
 * @property {string[]} short the same in a few seconds, smaller
 * @property {string} base the size that weakenings and ends are tried with, where they name none
 * @property {string[]} weakenings rules left out, each of which must break an assertion
 * @property {string[]} ends what must be reached at all: the assertion that says "never" must fail
 */

/** @type {Model[]} */
export const models = [
  {
    file: 'protocol.pml',
    holds: ['E=4'],
    short: ['E=3'],
    base: 'E=3',
    weakenings: [
      'NO_LOCK',
      'NO_EPOCH_CHECK',
      'PIN_AT_LOG_END',
      'CATCHUP_AHEAD',
      'CATCHUP_NO_LOCK',
      'CATCHUP_EARLY',
      'REBUILD',
      'STALLED',
      'ENDS_UNDER',
      'STALE_CHECKS',
      'NO_COW',
      'COW_IN_PLACE',
      'SIGN_ANY',
      'KEEP_EVIDENCE',
      'REPLAY_AHEAD',
    ],
    ends: ['REACH=ROLLED_BACK', 'REACH=ABANDONED'],
  },
  {
    file: 'protocol2.pml',
    holds: ['N=2', 'N=2 MOVE', 'N=2 DRILL'],
    short: ['N=1', 'N=2 DRILL'],
    base: 'N=2',
    weakenings: [
      'NO_LOCK',
      'BARRIER_EARLY',
      'CATCHUP_AHEAD',
      'REPLAY_AHEAD',
      'COW_PAIR',
      'REUSE_DIRTY',
      'REBUILD',
      'ROLL_BESIDE_CUTOVER',
      'DROP_LEASED',
      'PIN_RACY',
      'DROP_SHARED',
      'HIDE_BASE',
      'MOVE TURN_UNCHECKED',
      'DRILL MAP_NO_LOCK',
      'DRILL FORK_KEEPS_SEGMENT',
    ],
    ends: ['REACH=1', 'REACH=2', 'REACH=3', 'REACH=4'],
  },
  {
    file: 'publishing.pml',
    holds: ['E=4', 'E=3 AMEND', 'E=3 DRILL', 'E=3 NO_WAIT', 'E=3 NO_COMPARE'],
    short: ['E=3'],
    base: 'E=3',
    weakenings: [
      'PUBLISH_NO_LOCK',
      'LIVE_WRITES',
      'WHOLE_EVENT_WAITS',
      'ONE_LEG',
      'NOTE_TWICE',
      'NOTE_CONTAINED',
      'CATCHUP_SKIPS',
      'CUTOVER_REPLACES',
      'CUTOVER_SILENT',
      'ROLLBACK_REPLACES',
      'ONLY_REVERSES',
      'NOT_COMPLETE',
      'UNFENCED',
      'AMEND AMEND_UNFENCED',
      'DRILL NO_DRILL_WAIT',
    ],
    ends: ['REACH=1', 'REACH=2', 'REACH=3'],
  },
  {
    file: 'rehearsal.pml',
    holds: ['E=2'],
    short: ['E=1'],
    base: 'E=1',
    weakenings: [
      'TORN',
      'OLD_SIDE_ONLY',
      'NEW_SIDE_ONLY',
      'TAIL_UNCHECKED',
      'ANY_REHEARSAL',
      'E=2 ANY_ACCEPTANCE',
      'ANY_FRAME',
      'ANY_EPOCH',
      'NO_SIGNER_LOCK',
      'NO_RELEASE_LOCK',
    ],
    ends: ['REACH=1', 'REACH=2', 'REACH=3'],
  },
];
