import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  GENERATION_STATES,
  type GenerationState,
  generationMayBecome,
  holdsSeal,
  isFrozen,
  isMove,
  isOver,
  isReadable,
  isReleaseState,
  isUnderWay,
  LINE,
  MOVES,
  type Move,
  movesFrom,
  placeOnLine,
  RELEASE_STATES,
  type ReleaseState,
  STEPS,
  type Step,
  TRANSITIONS,
  transitionOf,
  turnOf,
} from './lifecycle';

const ALL: readonly (Move | Step)[] = [...MOVES, ...STEPS];

describe('the line', () => {
  it('is walked by its moves, one at a time', () => {
    const walk: (Move | Step)[] = [
      'pin',
      'build',
      'seal',
      'catch-up',
      'reconcile',
      'approve',
      'activate',
      'retire',
    ];
    let state: ReleaseState = 'DRAFT';
    for (const [index, move] of walk.entries()) {
      expect(placeOnLine(state)).toBe(index);
      state = transitionOf(move, state)?.to as ReleaseState;
      expect(state).toBe(LINE[index + 1]);
    }
  });

  it('is never skipped: a state of the line is entered from the one before, or from behind', () => {
    for (const { from, to } of TRANSITIONS) {
      const place = to === null ? null : placeOnLine(to);
      if (place === null) continue;
      for (const state of from) {
        const before = placeOnLine(state);
        if (before !== null) expect(place).toBeLessThanOrEqual(before + 1);
      }
    }
  });
});

describe('moves', () => {
  it('have one arrow per state and side', () => {
    for (const move of ALL) {
      expect(TRANSITIONS.some((t) => t.move === move)).toBe(true);
      for (const state of RELEASE_STATES) {
        for (const cutOver of [false, true]) {
          const arrows = TRANSITIONS.filter(
            (t) =>
              t.move === move &&
              t.from.includes(state) &&
              (t.cutOver === undefined || t.cutOver === cutOver),
          );
          expect(arrows.length).toBeLessThanOrEqual(1);
        }
      }
    }
  });

  it('are listed per state', () => {
    expect(movesFrom('DRAFT')).toEqual(['pin', 'abandon']);
    expect(movesFrom('ACTIVE')).toEqual(['sign-rollback', 'rollback', 'call-off']);
    expect(movesFrom('BUILDING')).toEqual([
      'rehearse',
      'drill',
      'seal',
      'accept',
      'reject',
      'abandon',
      'pause',
      'resume',
      'hold',
      'unhold',
      'retry',
      'limits',
    ]);
    for (const state of RELEASE_STATES) expect(movesFrom(state).length === 0).toBe(isOver(state));
  });

  it('out of RECONCILIATION_REQUIRED depend on the cutover', () => {
    const lost = 'RECONCILIATION_REQUIRED';
    expect(movesFrom(lost, false)).toContain('abandon');
    expect(movesFrom(lost, false)).not.toContain('rollback');
    expect(movesFrom(lost, true)).toContain('rollback');
    expect(movesFrom(lost, true)).not.toContain('abandon');
    expect(movesFrom(lost)).toEqual(expect.arrayContaining(['abandon', 'rollback', 'retry']));
    expect(transitionOf('retry', lost, false)?.to).toBe('BUILDING');
    expect(transitionOf('retry', lost, true)?.to).toBe('ACTIVE');
    const ways = TRANSITIONS.filter((t) => t.to !== null && t.from.includes(lost));
    expect(new Set(ways.map((t) => t.move))).toEqual(new Set(['abandon', 'roll-back', 'retry']));
  });

  it('RECONCILIATION_REQUIRED is reachable from BUILDING on', () => {
    const from = RELEASE_STATES.filter((s) => transitionOf('require-reconciliation', s) !== null);
    expect(from).toEqual([
      'BUILDING',
      'INGRESS_SEALED',
      'CAUGHT_UP',
      'RECONCILED',
      'APPROVED',
      'ACTIVE',
    ]);
  });
});

describe('predicates', () => {
  it('divide the states', () => {
    for (const state of RELEASE_STATES) {
      expect(isFrozen(state)).toBe(state !== 'DRAFT');
      if (holdsSeal(state)) {
        expect(isUnderWay(state)).toBe(true);
        expect(transitionOf('reopen', state)?.to).toBe('BUILDING');
      }
      if (isOver(state)) {
        expect(isUnderWay(state)).toBe(false);
        expect(turnOf(state)).toBeNull();
      }
    }
    expect(isUnderWay('RECONCILIATION_REQUIRED')).toBe(true);
    expect(isUnderWay('RECONCILIATION_REQUIRED', true)).toBe(false);
    expect(isUnderWay('ACTIVE')).toBe(false);
    expect(placeOnLine('REJECTED')).toBeNull();
  });

  it('know strangers', () => {
    expect(isReleaseState('ACTIVE')).toBe(true);
    expect(isReleaseState('active')).toBe(false);
    expect(isMove('seal')).toBe(true);
    expect(isMove('catch-up')).toBe(false);
    expect(isMove('__proto__')).toBe(false);
    expect(() => turnOf('NEW' as ReleaseState)).toThrow(TypeError);
  });
});

describe('a random walk', () => {
  /** A model that knows only what has happened: seals, signatures, cutover, end. */
  type Model = { sealed: boolean; cutOver: boolean; ended: boolean; pinned: boolean };

  function step(model: Model, move: Move | Step): Model {
    switch (move) {
      case 'pin':
        return { ...model, pinned: true };
      case 'seal':
        return { ...model, sealed: true };
      case 'reopen':
      case 'expire':
      case 'require-reconciliation':
        return { ...model, sealed: false };
      case 'activate':
        return { ...model, sealed: false, cutOver: true };
      case 'reject':
      case 'abandon':
      case 'roll-back':
      case 'retire':
        return { ...model, sealed: false, ended: true };
      default:
        return model;
    }
  }

  it('agrees with a model of what has happened', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...ALL), { maxLength: 120 }), (moves) => {
        let state: ReleaseState = 'DRAFT';
        let model: Model = { sealed: false, cutOver: false, ended: false, pinned: false };
        for (const move of moves) {
          const arrow = transitionOf(move, state, model.cutOver);
          if (model.ended) expect(arrow).toBeNull();
          if (arrow === null) continue;
          // Nothing but a cutover makes a release active, and only from all signatures.
          if (arrow.to === 'ACTIVE' && move !== 'retry') expect(state).toBe('APPROVED');
          if (move === 'abandon' || move === 'reject') expect(model.cutOver).toBe(false);
          if (move === 'roll-back' || move === 'rollback') expect(model.cutOver).toBe(true);
          state = arrow.to ?? state;
          model = step(model, move);
          expect(holdsSeal(state)).toBe(model.sealed);
          expect(isOver(state)).toBe(model.ended);
          expect(isFrozen(state)).toBe(model.pinned || state === 'ABANDONED');
          expect(isUnderWay(state, model.cutOver)).toBe(
            model.pinned && !model.cutOver && !model.ended,
          );
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('generations', () => {
  it('serve once they are made, and never come back from hidden', () => {
    const pairs = GENERATION_STATES.flatMap((from) =>
      GENERATION_STATES.filter((to) => generationMayBecome(from, to)).map((to) => `${from} ${to}`),
    );
    expect(pairs).toEqual([
      'candidate serving',
      'candidate hidden',
      'serving kept',
      'kept serving',
      'kept hidden',
      'hidden retired',
    ]);
  });

  it('are read while they serve or are kept', () => {
    const readable: GenerationState[] = GENERATION_STATES.filter(isReadable);
    expect(readable).toEqual(['serving', 'kept']);
  });
});
