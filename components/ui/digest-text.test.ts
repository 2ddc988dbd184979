import { expect, it } from 'vitest';
import { digestHex, groupedDigest, shortDigest } from './digest-text';

const digest = 'sha256:cc99ff24fd99efc9dbf6bedaa323e6537703173ffdff7a418b976d5c929bedb7';

it('shortens to the first and the last four', () => {
  expect(shortDigest(digest)).toBe('cc99…edb7');
  expect(shortDigest('4f2a91c')).toBe('4f2a91c');
});

it('groups the whole in eights, losing nothing', () => {
  expect(groupedDigest(digest)).toBe(
    'cc99ff24 fd99efc9 dbf6beda a323e653 7703173f fdff7a41 8b976d5c 929bedb7',
  );
  expect(groupedDigest(digest).replaceAll(' ', '')).toBe(digestHex(digest));
});
