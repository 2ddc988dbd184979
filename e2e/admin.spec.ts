import { randomUUID } from 'node:crypto';
import { expect, type Page, test } from '@playwright/test';
import { setRoles } from '@/lib/services/people';
import { expectAccessible, signIn } from './support/people';
import { ReleaseShop } from './support/release-shop';

/** Of this run: a console that is tested twice keeps what the first time made. */
const mark = randomUUID().slice(0, 6);
const robot = `robot-${mark}`;
const helper = `helper-${mark}`;
const TABS = ['people', 'tokens', 'datasets', 'sources', 'budgets', 'subscribers'] as const;

let shop: ReleaseShop;
let release: string;

test.beforeAll(async () => {
  test.setTimeout(180_000);
  shop = await ReleaseShop.open(process.env.E2E_DATABASE_URL ?? '', `admin${mark}`);
  release = await shop.rehearsed();
  const actor = { person: 'admin', roles: ['admin' as const], via: 'api' as const, session: null };
  await setRoles({ ...shop.as('owner'), actor }, { person: helper, roles: ['reader'] });
});
test.afterAll(() => shop.close());

/** What the browser complains of, from now on. */
function complaints(page: Page): string[] {
  const said: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') said.push(message.text());
  });
  page.on('pageerror', (error) => said.push(String(error)));
  return said;
}

async function expectAccessibleInBothThemes(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
}

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const dialog = (page: Page) => page.getByRole('dialog');

test('an admin makes a person and a token, which works until it is revoked', async ({
  page,
  request,
}) => {
  test.setTimeout(120_000);
  const said = complaints(page);
  let token = '';
  const ask = () =>
    request.get('/api/v1/datasets', { headers: { authorization: `Bearer ${token}` } });

  await test.step('makes a person with a role', async () => {
    await signIn(page, 'admin', '/admin');
    await page.getByRole('button', { name: 'New person…' }).click();
    await dialog(page).getByLabel('Name', { exact: true }).fill('robot of mine');
    await dialog(page).getByRole('button', { name: 'Make the person' }).click();
    await expect(dialog(page).getByRole('alert').first()).toContainText(
      'is not a name for a person',
    );
    await dialog(page).getByLabel('Name', { exact: true }).fill(robot);
    await dialog(page)
      .getByRole('checkbox', { name: /^reader/ })
      .check();
    await expectAccessibleInBothThemes(page);
    await dialog(page).getByRole('button', { name: 'Make the person' }).click();
    await expect(row(page, robot)).toContainText('reader');
  });

  await test.step('a second person of the name is refused', async () => {
    await page.getByRole('button', { name: 'New person…' }).click();
    await dialog(page).getByLabel('Name', { exact: true }).fill(robot);
    await dialog(page).getByRole('button', { name: 'Make the person' }).click();
    await expect(dialog(page).getByText('ALREADY_EXISTS')).toBeVisible();
    await dialog(page).getByRole('button', { name: 'Leave it' }).click();
  });

  await test.step('finds it; the address keeps what was sought', async () => {
    await page.getByLabel('Name or address').fill(robot);
    await page.getByRole('form', { name: 'Find a person' }).getByRole('button').click();
    await page.waitForURL((url) => url.searchParams.get('text') === robot);
    await expect(page.getByRole('row')).toHaveCount(2);
  });

  await test.step('makes a token: it is shown once', async () => {
    await page.getByRole('button', { name: `Token… for ${robot}` }).click();
    await dialog(page).getByRole('button', { name: 'Make the token' }).click();
    await expect(dialog(page).getByText('It is shown this once.')).toBeVisible();
    token = (await dialog(page).locator('[data-token]').textContent()) ?? '';
    expect(token).toMatch(/^ilk_[A-Za-z0-9_-]{43}$/);
    await expectAccessibleInBothThemes(page);
    await dialog(page).getByRole('button', { name: 'I have it' }).click();
    await expect(page.getByText(token)).toHaveCount(0);
    await page.getByRole('link', { name: `1 token of ${robot}` }).click();
    await expect(row(page, robot)).toContainText('never');
    await page.reload();
    await expect(row(page, robot)).toBeVisible();
    expect(await page.content()).not.toContain(token);
  });

  await test.step('it works', async () => {
    const answer = await ask();
    expect(answer.status()).toBe(200);
    const { items } = (await answer.json()) as { items: { name: string }[] };
    expect(items.map(({ name }) => name)).toContain(shop.dataset);
    await page.reload();
    await expect(row(page, robot)).not.toContainText('never');
  });

  await test.step('revokes it: the next call is refused', async () => {
    await row(page, robot).getByRole('button', { name: 'Revoke…' }).click();
    await expect(dialog(page)).toContainText('The next call with it is refused with 401.');
    await dialog(page).getByRole('button', { name: 'Revoke the token' }).click();
    await expect(page.getByText(`${robot} has no token.`)).toBeVisible();
    expect((await ask()).status()).toBe(401);
    await page.getByRole('link', { name: /^Revoked/ }).click();
    await expect(row(page, robot)).toContainText('nothing, it is revoked');
  });
  expect(said).toEqual([]);
});

test('an admin gives and takes roles, and is told what that takes away', async ({ page }) => {
  test.setTimeout(150_000);
  const said = complaints(page);
  await shop.reconciled(release);
  await shop.sign(release, 'approver');
  const roles = (person: string) =>
    page.getByRole('button', { name: `Roles… of ${person}`, exact: true }).click();
  const box = (role: RegExp) => dialog(page).getByRole('checkbox', { name: role });

  await test.step('a signature would no longer count; nothing is taken by looking', async () => {
    await signIn(page, 'admin', '/admin');
    await roles('approver');
    await box(/^approver/).uncheck();
    await expect(dialog(page).getByText(/of approver no longer counts?\.$/)).toBeVisible();
    await expect(dialog(page).getByRole('link', { name: release })).toBeVisible();
    await expect(dialog(page).getByText('signs the cutover', { exact: true })).toBeVisible();
    await expectAccessibleInBothThemes(page);
    await dialog(page).getByRole('button', { name: 'Leave it' }).click();
    await expect(row(page, 'Cyd, approver')).toContainText('approver');
  });

  await test.step('one’s own role is warned of, and the last admin stays', async () => {
    await roles('admin');
    await box(/^admin/).uncheck();
    await expect(dialog(page).getByText('These are your own roles.')).toBeVisible();
    await expect(dialog(page).getByText('Nobody else holds admin.')).toBeVisible();
    await dialog(page).getByRole('button', { name: 'Take admin' }).click();
    await expect(dialog(page).getByText('LAST_ADMIN')).toBeVisible();
    await dialog(page).getByRole('button', { name: 'Leave it' }).click();
    await expect(row(page, 'Fay, admin')).toContainText('admin');
  });

  await test.step('gives one and takes another', async () => {
    await roles(helper);
    await box(/^reader/).uncheck();
    await box(/^auditor/).check();
    await dialog(page).getByRole('button', { name: 'Give auditor, take reader' }).click();
    await expect(dialog(page)).toHaveCount(0);
    await expect(row(page, helper)).toContainText('auditor');
    await expect(row(page, helper)).not.toContainText('reader');
  });
  expect(said).toEqual([]);
});

test('an admin changes a policy, and cannot lower it under a release', async ({ page }) => {
  const said = complaints(page);
  const policy = () => page.getByRole('button', { name: `Policy… of ${shop.dataset}` }).click();
  const press = () => dialog(page).getByRole('button', { name: 'Change the policy' }).click();
  await signIn(page, 'admin', '/admin');
  await page
    .getByRole('navigation', { name: 'Admin' })
    .getByRole('link', { name: /^Datasets/ })
    .click();
  await page.waitForURL((url) => url.searchParams.get('tab') === 'datasets');

  await test.step('raises it and gives it a schedule', async () => {
    await policy();
    await dialog(page).getByLabel('Rollback window').fill('3 weeks');
    await expect(
      dialog(page).getByText('A length of time, such as 36 h or 1 d 12 h.'),
    ).toBeVisible();
    await dialog(page).getByLabel('Rollback window').fill('21 d');
    await dialog(page).getByLabel('Runs by the clock, optional').fill('0 33 * * *');
    await press();
    await expect(
      dialog(page)
        .getByText(/is not a schedule/)
        .first(),
    ).toBeVisible();
    await dialog(page).getByLabel('Runs by the clock, optional').fill('0 3 1 1 *');
    await dialog(page).getByLabel('Second person over').fill('31');
    await expectAccessibleInBothThemes(page);
    await press();
    await expect(dialog(page)).toHaveCount(0);
    await expect(row(page, shop.dataset)).toContainText('21 d');
    await expect(row(page, shop.dataset)).toContainText('0 3 1 1 * in Europe/London');
    await expect(row(page, shop.dataset)).toContainText('a second person over 31 days');
  });

  await test.step('is refused in words where it would be lowered, with each field', async () => {
    await policy();
    await dialog(page).getByLabel('Rollback window').fill('1 h');
    await dialog(page).getByRole('checkbox', { name: 'Who signed may execute, too' }).check();
    await press();
    await expect(dialog(page).getByText('POLICY_LOWERED')).toBeVisible();
    for (const field of ['rollbackWindowSeconds', 'executorMayApprove']) {
      await expect(
        dialog(page).getByRole('link', {
          name: `${field} would be lowered while ${release} is under way.`,
        }),
      ).toBeVisible();
    }
    await dialog(page).getByRole('button', { name: 'Leave it' }).click();
    await expect(row(page, shop.dataset)).toContainText('21 d');
  });

  await test.step('a source keeps what it is told to keep', async () => {
    const source = shop.dataset.replace(/_tax$/, '_orders');
    await page.goto('/admin?tab=sources');
    await page.getByRole('button', { name: `Keep… of ${source}` }).click();
    await dialog(page).getByLabel('Days that are kept whole').fill('3650');
    await expect(dialog(page).getByText('What is pruned does not come back.')).toBeVisible();
    await expectAccessibleInBothThemes(page);
    await dialog(page).getByRole('button', { name: 'Keep 3650 days' }).click();
    await expect(row(page, source)).toContainText('every event of 3,650 days');
  });
  expect(said).toEqual([]);
});

test('an auditor sees all of it and no button', async ({ page }) => {
  test.setTimeout(120_000);
  const said = complaints(page);
  await signIn(page, 'auditor', '/admin');
  await expect(row(page, 'Fay, admin')).toBeVisible();
  for (const tab of TABS) {
    await page.goto(`/admin?tab=${tab}`);
    await expect(page.getByRole('heading', { name: 'Admin' })).toBeVisible();
    const main = page.getByRole('main');
    await expect(main.getByRole('button', { name: /…/ })).toHaveCount(0);
    await expect(
      main.getByRole('button', { name: /^(New|Roles|Token|Revoke|Policy|Keep)/ }),
    ).toHaveCount(0);
    await expectAccessibleInBothThemes(page);
  }
  await page.goto('/admin?tab=datasets');
  await expect(row(page, shop.dataset)).toContainText('for a cutover');
  await page.goto('/admin?tab=budgets');
  await expect(row(page, release)).toContainText(shop.dataset);
  await expect(row(page, release).getByRole('link', { name: release })).toHaveAttribute(
    'href',
    `/releases/${release}/build`,
  );
  expect(said).toEqual([]);
});

test('an owner is told what the page is and who may see it', async ({ page }) => {
  await signIn(page, 'owner', '/admin');
  await expect(page.getByText('You are signed in as owner, owner.')).toBeVisible();
  await expect(page.getByText(/For the role “admin or auditor” ask an admin\./)).toBeVisible();
  await expect(page.getByRole('row')).toHaveCount(0);
  await expect(
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Admin' }),
  ).toHaveCount(0);
});
