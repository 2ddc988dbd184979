import { expect, it } from 'vitest';
import { press, SHORTCUTS } from './shortcuts';

it('takes two keys in a row for one shortcut, and forgets the first after a while', () => {
  const first = press('g', 0, null);
  expect(first).toEqual({ deed: null, begun: { key: 'g', at: 0 } });
  const releases = { kind: 'go', href: '/releases' };
  expect(press('r', 1500, first.begun)).toEqual({ deed: releases, begun: null });
  expect(press('r', 1501, first.begun)).toEqual({ deed: null, begun: null });
});

it('takes a second key that fits nothing for a first one', () => {
  const { begun } = press('g', 0, null);
  expect(press('/', 10, begun).deed).toEqual({ kind: 'find' });
  expect(press('g', 10, begun).begun).toEqual({ key: 'g', at: 10 });
  expect(press('x', 10, begun)).toEqual({ deed: null, begun: null });
});

it('knows each shortcut once, and none hides behind the beginning of another', () => {
  const spelt = SHORTCUTS.map(({ keys }) => keys.join(' '));
  expect(new Set(spelt).size).toBe(spelt.length);
  for (const { keys, deed } of SHORTCUTS) {
    let begun: Parameters<typeof press>[2] = null;
    let done: ReturnType<typeof press>['deed'] = null;
    for (const key of keys) ({ begun, deed: done } = press(key, 0, begun));
    expect(done).toEqual(deed ?? null);
  }
});
