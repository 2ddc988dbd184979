import { createHash, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { expect, type Page, test } from '@playwright/test';
import { canonicalJson, digestOf } from '@/lib/digest/canonical';
import { another, expectAccessible, signIn } from './support/people';
import { ReleaseShop } from './support/release-shop';

/** Of this run: a console that is tested twice keeps what the first time made. */
const mark = randomUUID().slice(0, 6);
const fourth = { start: '2011-01-04T00:00:00Z', label: '[2011-01-04 00:00 GMT,' };

let shop: ReleaseShop;
/** What the browsers complained of: a page that works says nothing. */
const complaints: string[] = [];

test.beforeAll(async () => {
  test.setTimeout(120_000);
  shop = await ReleaseShop.open(process.env.E2E_DATABASE_URL ?? '', `sent${mark}`);
});
test.afterAll(() => shop.close());

function listen(page: Page): Page {
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
  return page;
}

const partition = (start: string) => `/corrections/${shop.dataset}/${encodeURIComponent(start)}`;

/** The rows that are served of a day, by the API and with the page's own session. */
async function served(page: Page, day: string): Promise<unknown[]> {
  const answer = await page.request.get(
    `/api/v1/datasets/${shop.dataset}/rows?from=${day}T00:00:00Z&to=${day}T23:00:00Z`,
  );
  expect(answer.ok()).toBe(true);
  const { rows } = (await answer.json()) as { rows: unknown[] };
  expect(rows.length).toBeGreaterThan(0);
  return rows;
}

async function taken(page: Page, name: string): Promise<Buffer> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name, exact: true }).click(),
  ]);
  return fs.readFileSync(await file.path());
}

test('what was published stays, and what would differ is a correction', async ({
  page,
  browser,
}) => {
  test.setTimeout(300_000);
  listen(page);

  await test.step('the owner publishes two days', async () => {
    await signIn(page, 'owner', `/datasets/${shop.dataset}`);
    const published = page.getByRole('region', { name: 'Published' });
    await expect(published.getByText('Nothing of it was published yet.')).toBeVisible();
    await published.getByRole('button', { name: 'Publish a range…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('From', { exact: true }).fill('2011-01-04 07:00');
    await dialog.getByLabel('To, not included').fill('2011-01-06');
    // off an edge: the nearest ones are offered
    await dialog
      .getByRole('group', { name: 'From: nearest edges' })
      .getByRole('button', { name: '2011-01-04 00:00 GMT' })
      .click();
    await expect(dialog.getByText('Rows, as served now')).toBeVisible();
    await expect(dialog.getByText(/^600\./).first()).toBeVisible();
    await dialog.getByRole('button', { name: 'Publish 2 days' }).click();
    await expect(dialog.getByText('Say to whom the figures were sent.')).toBeVisible();
    await dialog.getByLabel('To whom').fill('HMRC');
    await dialog.getByLabel('Document, optional').fill('VAT return, page 4');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Publish 2 days' }).click();
    await expect(published.getByText('2 days')).toBeVisible();
    await expect(published.getByText('HMRC')).toBeVisible();
  });

  const before = await served(page, '2011-01-04');

  await test.step('a line comes late: what is served stays, and one event is pending', async () => {
    await shop.sell(`late-${mark}`, '2011-01-04T15:00:00Z', '50.00');
    await expect(async () => {
      await page.goto(partition(fourth.start));
      const pending = page.getByRole('region', { name: 'Pending events' });
      await expect(pending.getByText(`late-${mark}`).first()).toBeVisible({ timeout: 1_000 });
    }).toPass({ timeout: 45_000 });
    await expect(page.getByText('would add a row')).toBeVisible();
    expect(await served(page, '2011-01-04')).toEqual(before);
    await expectAccessible(page);
  });

  await test.step('the owner records what it would be now', async () => {
    await page.getByRole('button', { name: 'Record a correction' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByText('1 pending event will be in it.')).toBeVisible();
    await dialog.getByRole('button', { name: 'Record a correction' }).click();
    await expect(dialog.getByText('A comment is required.')).toBeVisible();
    await dialog.getByLabel('Reason').fill('a till was offline');
    await dialog.getByRole('button', { name: 'Record a correction' }).click();
    await expect(page.getByText('Recorded.', { exact: true })).toBeVisible();
    await expect(page.getByText('No event is pending.')).toBeVisible();
    expect(await served(page, '2011-01-04')).toEqual(before);
  });

  const auditor = listen(await another(browser, 'auditor', '/corrections'));

  await test.step('an auditor finds the day, as published and as of now', async () => {
    await expect(async () => {
      await auditor.getByLabel('Dataset', { exact: true }).selectOption(shop.dataset);
      await auditor.waitForURL((url) => url.searchParams.get('dataset') === shop.dataset, {
        timeout: 5_000,
      });
    }).toPass();
    await auditor.getByLabel('From, Europe/London').fill('2011-01-04');
    await auditor.getByLabel('To, not included').fill('2011-01-05');
    await auditor.getByRole('button', { name: 'Show' }).click();
    await auditor.waitForURL((url) => url.searchParams.get('to') === '2011-01-05');
    const table = auditor.getByRole('table', { name: /^Published partitions/ });
    await expect(table.getByText(/^published .* to HMRC$/)).toBeVisible();
    await expect(table.getByRole('row', { name: /^rows 2 3 \+1$/ })).toBeVisible();
    await expect(table.getByText('a till was offline')).toBeVisible();
    await expect(table.getByRole('link')).toHaveCount(1);
    await auditor.getByLabel('Figure', { exact: true }).selectOption('rows');
    await expect(
      auditor.getByRole('row', { name: /2011-01-04 00:00 GMT.* 2 3 \+1 1 correction/ }),
    ).toBeVisible();
    await expectAccessible(auditor);
    await auditor.getByRole('link', { name: /2011-01-04/ }).click();
    await auditor.waitForURL((url) => url.pathname.includes('2011-01-04'));
    const figures = auditor.getByRole('table', { name: 'As published and as of now' });
    await expect(figures.getByRole('row', { name: /^rows 2 3 \+1$/ })).toBeVisible();
    const chain = auditor.getByRole('region', { name: 'Corrections' });
    await expect(chain.getByText('It adds up.')).toBeVisible();
    await expect(chain.getByText('a till was offline')).toBeVisible();
    await expect(auditor.getByRole('region', { name: 'Sent out' })).toContainText(
      'VAT return, page 4',
    );
    await expectAccessible(auditor);
  });

  await test.step('and can change nothing', async () => {
    for (const path of [partition(fourth.start), '/corrections', `/datasets/${shop.dataset}`]) {
      await auditor.goto(path);
      await expect(auditor.getByRole('heading', { level: 1 })).toBeVisible();
      await expect(auditor.getByRole('button', { name: /Publish|Record a/ })).toHaveCount(0);
    }
  });

  await test.step('it fits a phone', async () => {
    const phone = listen(await another(browser, 'auditor', partition(fourth.start)));
    await phone.setViewportSize({ width: 390, height: 844 });
    await expect(phone.getByText('It adds up.')).toBeVisible();
    expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await expectAccessible(phone);
    await phone.context().close();
  });

  await test.step('a release over the days says that they keep what was published', async () => {
    const release = await shop.rehearsed();
    await shop.reconciled(release);
    const approver = listen(await another(browser, 'approver', `/releases/${release}/approval`));
    await expect(approver.getByText('2 partitions of the range are sealed')).toBeVisible();
    await approver.getByRole('link', { name: 'Published figures' }).click();
    await expect(approver.getByText('[2011-01-05 00:00 GMT,')).toBeVisible();
    await approver.goto(`/releases/${release}/cutover`);
    await expect(approver.getByText('2 partitions keep what was published')).toBeVisible();
    await approver.context().close();
    await shop.sign(release, 'approver');
    await shop.signRollback(release);
    await shop.sign(release, 'approver2');
    await shop.activate(release);
    expect(await served(page, '2011-01-04')).toEqual(before);

    await auditor.goto(`/corrections?tab=history&dataset=${shop.dataset}&kind=cutover`);
    const history = auditor.getByRole('table', { name: 'Corrections, newest first' });
    await expect(history.getByText('by a cutover')).toHaveCount(2);
    await expect(history.getByRole('link', { name: release }).first()).toHaveAttribute(
      'href',
      `/releases/${release}`,
    );
    await expect(
      history.getByRole('link', { name: 'signed by approver, approver2' }).first(),
    ).toHaveAttribute('href', `/releases/${release}/approval`);
    await history.getByRole('link', { name: 'receipt' }).last().click();
    await auditor.waitForURL((url) => url.searchParams.get('partition') !== null);
    await expect(auditor.getByRole('region', { name: /2011-01-0[45]/ })).toContainText('Receipt');
    await auditor.goto(partition(fourth.start));
    await expect(auditor.getByText('They add up.')).toBeVisible();
    await expect(auditor.getByText('receipt of this partition')).toBeVisible();
  });

  await test.step('takes the history along, with a digest that can be checked', async () => {
    const list = `/api/v1/datasets/${shop.dataset}/corrections`;
    const { items } = (await (await auditor.request.get(list)).json()) as { items: unknown[] };
    expect(items).toHaveLength(3);
    await auditor.goto(`/corrections?tab=history&dataset=${shop.dataset}`);
    const note = auditor.getByRole('status').filter({ hasText: 'was given to your browser' });

    const csv = await taken(auditor, 'Export CSV');
    const shown = note.getByRole('button', { name: /^digest/ });
    const hex = createHash('sha256').update(csv).digest('hex');
    await expect(shown).toHaveAttribute('title', `sha256:${hex}, press to copy`);
    await expect(note.getByText('This browser computed the same.')).toBeVisible();
    const lines = csv.toString('utf8').trim().split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines.map((line) => line.split(',')[0])).toEqual([
      'id',
      ...items.map((item) => (item as { id: string }).id),
    ]);

    const json = await taken(auditor, 'Export JSON');
    const jsonHex = createHash('sha256').update(json).digest('hex');
    await expect(shown).toHaveAttribute('title', `sha256:${jsonHex}, press to copy`);
    const file = JSON.parse(json.toString('utf8')) as { digest: string; items: unknown[] };
    expect(canonicalJson(file.items as never)).toBe(canonicalJson(items as never));
    expect(file.digest).toBe(digestOf('interlock.corrections.v1', file.items as never));
    await expectAccessible(auditor);
  });

  await auditor.context().close();
  expect(complaints).toEqual([]);
});
