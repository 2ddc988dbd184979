import { afterAll, beforeAll, expect, it } from 'vitest';
import { type StepName, stepNames } from '@/lib/db/step';
import { Children } from '@/lib/faults/support/child';
import {
  type Driver,
  expectDone,
  isDone,
  releaseStory,
  undisturbed,
} from '@/lib/faults/support/release-story';
import { Scenario } from '@/lib/faults/support/scenario';

let s: Scenario;
let children: Children;
const killed = new Set<StepName>();

beforeAll(async () => {
  s = await Scenario.open();
  children = await Children.of(s.t.url, s.db);
});
afterAll(async () => {
  await children.end();
  await s.t.close();
});

/** At each point a new process dies; then one more does what the last one left. */
const killing: Driver = async (work, ...points) => {
  for (const point of points) {
    const child = children.take();
    expect(await child.do(work, point)).toEqual({ kind: 'reached', step: point });
    await child.kill();
    killed.add(point);
    await s.leasesEnd();
    await s.expectServed();
  }
  if (!isDone(work, points.at(-1))) await expectDone(children.take(), work);
  await s.expectServed();
};

it('a release whose process is killed at every named step comes to the same', async () => {
  const expected = await undisturbed();
  const { result, looks } = await s.watching(() => releaseStory(s, killing));
  expect(result).toEqual(expected);
  expect(looks).toBeGreaterThan(killed.size);
  expect([...killed].sort()).toEqual([...stepNames].sort());
});
