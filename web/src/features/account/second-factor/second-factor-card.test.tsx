import { secondFactor } from '@roster/contracts/second-factor';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { answer, hold, refusal, requestsTo } from '#web/testing/answers.ts';
import { open } from '#web/testing/app.tsx';
import { fixtureDate, noSecondFactor } from '#web/testing/new-account.ts';
import { expectHidden, expectText, expectToast } from '#web/testing/page.ts';

const secret = 'JBSWY3DPEHPK3PXP';
const withApp = { ...noSecondFactor, app: { addedAt: fixtureDate, lastUsedAt: null } };
const setUp = page.getByRole('button', { name: 'Set up authenticator app' });
const dialog = page.getByRole('dialog', { name: 'Set up an authenticator app' });
const openAccount = (answers: () => void) => open('/settings?tab=account', { answers });

test('keeps what was typed when a code is wrong', async () => {
  openAccount(() => {
    answer(secondFactor.startApp, { secret, uri: `otpauth://totp/Roster?secret=${secret}` });
    const message = 'This code is not right.';
    answer(secondFactor.confirmApp, refusal('invalid_input', message, { code: message }));
  });
  await setUp.click();
  const code = dialog.getByLabelText('Code from the app');
  await code.fill('12345');
  await dialog.getByRole('button', { name: 'Turn On' }).click();
  await expect.element(code).toHaveAttribute('aria-invalid', 'true');
  expect(requestsTo(secondFactor.confirmApp)).toEqual([]);
  await code.fill('123456');
  await dialog.getByRole('button', { name: 'Turn On' }).click();
  await expectText(dialog, 'This code is not right.');
  await expect.element(code).toHaveValue('123456');
  await expect.element(code).toHaveFocus();
});

test('can start the set-up again after it failed', async () => {
  openAccount(() => answer(secondFactor.startApp, refusal('unavailable', 'The database is being moved.')));
  await setUp.click();
  await expectText(dialog, 'The database is being moved.');
  await expect.element(dialog.getByRole('button', { name: 'Turn On' })).toHaveAttribute('aria-disabled', 'true');
  answer(secondFactor.startApp, { secret, uri: `otpauth://totp/Roster?secret=${secret}` });
  await dialog.getByRole('button', { name: 'Try Again' }).click();
  await expect.element(dialog.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible();
});

test('shows new recovery codes once, and warns when few are left', async () => {
  const codes = ['aaaa-bbbb', 'cccc-dddd'];
  openAccount(() => {
    answer(secondFactor.state, { ...withApp, recoveryCodesLeft: 1 });
    answer(secondFactor.newRecoveryCodes, { recoveryCodes: codes });
  });
  await expect.element(page.getByText('1 code left')).toBeVisible();
  await page.getByRole('button', { name: 'New recovery codes' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Create New Codes' }).click();
  const shown = page.getByRole('dialog', { name: 'Save your recovery codes' });
  for (const code of codes) await expectText(shown, code);
  await shown.getByRole('button', { name: 'I have saved them' }).click();
  await expectHidden(page.getByText('aaaa-bbbb'));
});

test('says until when a second factor is required, and why the state is unknown', async () => {
  openAccount(() =>
    answer(secondFactor.state, { ...noSecondFactor, required: true, dueAt: '2026-12-24T12:00:00.000Z' }),
  );
  await expect.element(page.getByText('Set one up before December 24, 2026.')).toBeVisible();
});

test('keeps the app when its removal fails', async () => {
  openAccount(() => {
    answer(secondFactor.state, { ...withApp, recoveryCodesLeft: 10 });
  });
  const respond = hold(secondFactor.removeApp);
  await page.getByRole('button', { name: 'Remove authenticator app' }).click();
  const confirm = page.getByRole('alertdialog').getByRole('button', { name: 'Remove' });
  await confirm.click();
  await expect.element(page.getByRole('button', { name: 'Removing...' })).toBeVisible();
  respond(refusal('unavailable', 'The database is being moved.'));
  await expectToast('Failed to remove the app', 'The database is being moved.');
  await expect.element(confirm).toBeVisible();
});
