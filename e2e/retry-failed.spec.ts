import { randomUUID } from 'node:crypto';
import { type APIRequestContext, expect, test } from '@playwright/test';
import { type BadDisk, badDisk, DISK_ERROR } from './support/bad-disk';
import { expectAccessible, signIn } from './support/people';
import { ReleaseShop } from './support/release-shop';

/** Days of a winter, so that each begins at midnight UTC. */
const days = Array.from({ length: 45 }, (_, at) =>
  new Date(Date.UTC(2010, 0, 1 + at)).toISOString().slice(0, 10),
);
const first = '2010-01-12T00:00:00Z';
const second = '2010-02-03T00:00:00Z';
const firstText = '[2010-01-12 00:00 GMT, 2010-01-13 00:00 GMT)';
const secondText = '[2010-02-03 00:00 GMT, 2010-02-04 00:00 GMT)';

/** Of this run: a console that is tested twice keeps what the first time made. */
const mark = randomUUID().slice(0, 6);

let shop: ReleaseShop;
let disk: BadDisk;
let release: string;

test.beforeAll(async () => {
  test.setTimeout(180_000);
  const url = process.env.E2E_DATABASE_URL ?? '';
  shop = await ReleaseShop.open(url, `failing${mark}`, days);
  disk = await badDisk(url, shop.dataset, [first, second]);
  release = await shop.draft(
    { from: '2010-01-01T00:00:00Z', to: '2010-02-15T00:00:00Z' },
    { stopLoss: { failedPartitions: 5 } },
  );
  await shop.build(release);
});
test.afterAll(async () => {
  await disk.close();
  await shop.close();
});

interface Partition {
  start: string;
  state: string;
  attempt: number;
  outputRoot: string | null;
}

/** Every partition of the release by its start, as the API answers it. */
async function partitions(request: APIRequestContext, token: string) {
  const answer = await request.get(`/api/v1/releases/${release}/partitions?limit=1000`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { items, nextCursor } = (await answer.json()) as {
    items: Partition[];
    nextCursor: string | null;
  };
  expect(nextCursor).toBeNull();
  return new Map(items.map((item) => [item.start, item]));
}

test('failed partitions are found among many, retried by name, and nothing else is built again', async ({
  page,
  request,
}) => {
  test.setTimeout(180_000);
  const token = await shop.token();
  const list = page.getByRole('table', { name: 'Partitions that failed or are under way' });
  const detail = page.getByRole('region', { name: `${firstText} Europe/London` });
  const attempts = detail.getByRole('table', { name: 'Attempts, newest first' });

  await test.step('the overview says what waits, and leads to the failed ones', async () => {
    await signIn(page, 'owner', '/');
    const waits = page.getByRole('region', { name: 'Waits for you' });
    const row = waits.getByRole('listitem').filter({ hasText: `Retry 2 partitions of ${release}` });
    await expect(row).toContainText('43 of 45 built', { timeout: 60_000 });
    await row.getByRole('link', { name: 'Open' }).click();
    await page.waitForURL(`**/releases/${release}?state=failed`);
  });

  const before = await partitions(request, token);

  await test.step('the two lone ones are seen among the many', async () => {
    await expect(page.getByText('waits: 2 partitions failed, retry them').first()).toBeVisible();
    await expect(page.getByRole('button', { name: 'Failed 2' })).toHaveAttribute(
      'aria-pressed',
      'true',
    );
    const marks = page.locator('.strip i.over');
    await expect(marks).toHaveCount(2);
    for (const mark of await marks.all()) {
      const { width, height } = (await mark.boundingBox()) ?? { width: 0, height: 0 };
      expect(width).toBeGreaterThanOrEqual(2);
      const band = await page.locator('.strip i:not(.over)').first().boundingBox();
      expect(height).toBeGreaterThan(band?.height ?? 0);
    }
    await page.getByRole('radio', { name: 'Table' }).click();
    const table = page.getByRole('table', { name: `Partitions of ${release}, Europe/London` });
    await expect(table.getByRole('button')).toHaveText([firstText, secondText]);
    await expectAccessible(page);
  });

  await test.step('one is opened: what was tried, and what it came to', async () => {
    await expect(list.getByRole('row')).toHaveCount(3);
    await list.getByRole('link', { name: firstText }).click();
    await expect(attempts.getByRole('row').nth(1)).toContainText(`Failed${DISK_ERROR} (58030)`);
    await expect(detail.getByText('None yet: it comes with the attempt')).toBeVisible();
    // what was filtered by stays
    expect(new URL(page.url()).searchParams.get('state')).toBe('failed');
    await expectAccessible(page);
  });

  const retry = async (which: string, texts: string[]) => {
    await page.getByRole('button', { name: `Retry failed (${texts.length})` }).click();
    const dialog = page.getByRole('dialog', { name: `Build ${which} again?` });
    await expect(dialog.getByRole('listitem')).toHaveText(texts);
    await expect(dialog).toContainText('what is built stays');
    await dialog.getByLabel('Comment, optional').fill('the disk was changed');
    await dialog.getByRole('button', { name: `Retry ${which}` }).click();
    await expect(dialog).toBeHidden();
  };

  await test.step('a retry names what it retries; what is not mended fails again', async () => {
    await disk.mend(first);
    await retry('2 partitions', [firstText, secondText]);
    await expect(page.getByRole('button', { name: 'Failed 1' })).toBeVisible({ timeout: 30_000 });
    await expect(attempts.getByRole('row').nth(1)).toContainText('2');
    await expect(attempts.getByRole('row').nth(1)).toContainText('Accepted');
    await expect(attempts.getByRole('row').nth(2)).toContainText('Failed');
    await expect(list.getByRole('row')).toHaveCount(2);
    await expect(list.getByRole('row').nth(1)).toContainText(secondText);
    await expect(list.getByRole('row').nth(1)).toContainText(DISK_ERROR);
  });

  await test.step('once the cause is mended, all is built', async () => {
    await disk.mend(second);
    await retry('1 partition', [secondText]);
    await expect(page.getByText('45 of 45 built, not rehearsed').first()).toBeVisible({
      timeout: 30_000,
    });
    await expect(page.getByRole('button', { name: /^Failed/ })).toHaveCount(0);
    await expectAccessible(page);
  });

  await test.step('nothing else was built again', async () => {
    const after = await partitions(request, token);
    expect(after.get(first)).toMatchObject({ state: 'built', attempt: 2 });
    expect(after.get(second)).toMatchObject({ state: 'built', attempt: 3 });
    for (const [start, partition] of after) {
      if (start !== first && start !== second) expect(partition).toEqual(before.get(start));
    }
  });

  await test.step('who had it tried again, and why, is in the audit chain', async () => {
    await page.goto(`/releases/${release}/audit`);
    await expect(page.getByText('the disk was changed').first()).toBeVisible();
  });
});
