import { auth } from '@roster/contracts/auth';
import { passkeys } from '@roster/contracts/passkeys';
import { secondFactor } from '@roster/contracts/second-factor';
import { describe, expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { answer, hold, refusal, requestsTo } from '#web/testing/answers.ts';
import { address, leave, open } from '#web/testing/app.tsx';
import { person, signInOptions } from '#web/testing/new-account.ts';
import { expectCount, expectToast } from '#web/testing/page.ts';

const password = 'correct horse battery';
const email = page.getByLabelText('Email');
const secretField = page.getByLabelText('Password', { exact: true });

const openSignIn = (answers?: () => void) => open('/auth', { user: null, ...(answers && { answers }) });

async function fillLogin(address: string, secret: string) {
  await email.fill(address);
  await secretField.fill(secret);
}

async function logIn(address: string, secret = password) {
  await fillLogin(address, secret);
  await page.getByRole('button', { name: 'Login' }).click();
}

async function register(address: string, secret = password, again = secret) {
  await page.getByRole('tab', { name: 'Register' }).click();
  // Until then the fields belong to the login form.
  await expect.element(page.getByLabelText('Confirm Password')).toBeVisible();
  await fillLogin(address, secret);
  await page.getByLabelText('Confirm Password').fill(again);
  await page.getByRole('button', { name: 'Register' }).click();
}

test('focuses Email, and leaves the focus on a tab that was pressed', async () => {
  openSignIn();
  await expect.element(email).toHaveFocus();
  await page.getByRole('tab', { name: 'Register' }).click();
  await expect.element(page.getByLabelText('Confirm Password')).toBeVisible();
  await expect.element(page.getByRole('tab', { name: 'Register' })).toHaveFocus();
  await expectCount(page.getByText('The first account becomes the administrator.'), 0);
});

test('asks for no passkeys once the page was left, however late the browser says that it can', async () => {
  const browserAnswer = Promise.withResolvers<boolean>();
  const available = vi
    .spyOn(PublicKeyCredential, 'isConditionalMediationAvailable')
    .mockReturnValue(browserAnswer.promise);
  openSignIn();
  await expect.poll(() => available.mock.calls.length).toBeGreaterThan(0);
  leave();
  browserAnswer.resolve(true);
  await browserAnswer.promise;
  await new Promise(requestAnimationFrame);
  expect(requestsTo(passkeys.signInOptions)).toEqual([]);
});

describe('registering', () => {
  test('says that the first account becomes the administrator', async () => {
    openSignIn(() => answer(auth.options, { ...signInOptions, hasAccounts: false }));
    await expect.element(page.getByText('The first account becomes the administrator.')).toBeVisible();
    await expect.element(email).toHaveFocus();
  });

  test('rejects two different passwords without a request', async () => {
    openSignIn();
    await register(person.email, password, `${password}!`);
    await expect.element(page.getByRole('alert').filter({ hasText: 'Passwords do not match!' })).toBeVisible();
    await expect.element(page.getByLabelText('Confirm Password')).toHaveFocus();
    expect(requestsTo(auth.register)).toEqual([]);
  });

  test('shows an error at each field', async () => {
    open('/auth?tab=register', { user: null });
    await page.getByRole('button', { name: 'Register' }).click();
    await expect.element(page.getByText('Email is required')).toBeVisible();
    await expect.element(page.getByText('Password is required')).toBeVisible();
    await expect.element(email).toHaveFocus();
    await register('nobody@nowhere', 'short');
    await expect.element(page.getByText('Invalid email address')).toBeVisible();
    await expect.element(page.getByText('Password must be at least 8 characters long.')).toBeVisible();
  });

  test('rejects an email address that is taken', async () => {
    openSignIn(() => answer(auth.register, refusal('email_taken', 'This email might already be in use.')));
    await register(person.email);
    await expectToast('Registration failed', 'This email might already be in use.');
    expect(address()).toMatch(/^\/auth/);
  });

  test('shows that the request is pending', async () => {
    openSignIn();
    const say = hold(auth.register);
    await register(person.email);
    await expect.element(page.getByRole('button', { name: 'Creating account...' })).toBeVisible();
    answer(auth.currentUser, person);
    say(person);
    await expect.element(page.getByText('Your AI Assistant Dashboard')).toBeVisible();
  });
});

describe('logging in', () => {
  test('fails with the same message for a wrong password and an unknown email', async () => {
    openSignIn(() =>
      answer(auth.login, refusal('invalid_credentials', 'Invalid email or password. Please try again.')),
    );
    await logIn(person.email, 'not the password');
    await expectToast('Login failed', 'Invalid email or password. Please try again.');
    await expect.element(secretField).toHaveFocus();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await logIn('stranger@example.com');
    await expectToast('Login failed', 'Invalid email or password. Please try again.');
  });

  test('shows an error at each empty field', async () => {
    openSignIn();
    await page.getByRole('button', { name: 'Login' }).click();
    await expect.element(page.getByText('Email is required')).toBeVisible();
    await expect.element(page.getByText('Password is required')).toBeVisible();
    await fillLogin('not an address', password);
    await expect.element(page.getByText('Invalid email address')).toBeVisible();
  });

  test('shows that the request is pending', async () => {
    openSignIn();
    const say = hold(auth.login);
    await logIn(person.email);
    await expect.element(page.getByRole('button', { name: 'Logging in...' })).toBeVisible();
    answer(auth.currentUser, person);
    say(person);
    await expect.element(page.getByText('Your AI Assistant Dashboard')).toBeVisible();
  });

  test('shows three reasons to use Roster', async () => {
    openSignIn();
    await expect.element(page.getByText('User-specific API keys for privacy')).toBeVisible();
    await expect.element(page.getByText('Multiple assistants per user')).toBeVisible();
    await expect.element(page.getByText('Secure conversation storage and management')).toBeVisible();
    await page.getByRole('link', { name: 'Forgot password?' }).click();
    await expect.poll(address).toBe('/request-reset-password');
  });
});

describe('without passwords', () => {
  test('offers nothing but the login providers', async () => {
    const openId = [{ id: 'oidc' as const, name: 'Acme Login' }];
    openSignIn(() => answer(auth.options, { ...signInOptions, passwordLogin: false, openId }));
    const provider = page.getByRole('link', { name: 'Acme Login' });
    await expect.element(provider).toHaveAttribute('href', '/auth/oidc');
    await expect.element(email).not.toBeInTheDocument();
    await expect.element(page.getByRole('tab')).not.toBeInTheDocument();
  });
});

describe('a login link', () => {
  const token = 'A'.repeat(43);
  const openLink = (answers: () => void) => open(`/login-link?userId=7&token=${token}`, { user: null, answers });
  const button = page.getByRole('button', { name: 'Log In' });

  test('signs in when the button is pressed, not before', async () => {
    openLink(() => answer(auth.loginByLink, person));
    await expect.element(button).toBeVisible();
    expect(requestsTo(auth.loginByLink)).toEqual([]);
    expect(address()).toBe('/login-link');
    await button.click();
    await expectToast('Welcome back!', `You're now signed in as ${person.email}.`);
    expect(requestsTo(auth.loginByLink)).toMatchObject([{ body: { userId: 7, token } }]);
    expect(address()).toBe('/');
  });

  test('leads to the second step', async () => {
    openLink(() => {
      answer(auth.loginByLink, refusal('second_factor_required', 'Enter the code.'));
      answer(secondFactor.pending, { ways: ['totp', 'recovery'] });
    });
    await button.click();
    await expect.element(page.getByRole('heading', { name: 'Confirm it’s you' })).toBeVisible();
  });

  test('says that it was used already', async () => {
    openLink(() => answer(auth.loginByLink, refusal('invalid_token', 'This link has been used or has expired.')));
    await button.click();
    await expect.element(page.getByRole('heading', { name: 'This login link does not work' })).toBeVisible();
    await expect.element(page.getByText('This link has been used')).toBeVisible();
  });
});
