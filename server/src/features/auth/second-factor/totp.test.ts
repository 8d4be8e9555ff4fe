import { Secret } from 'otpauth';
import { describe, expect, test } from 'vitest';
import { appUri, matchingStep, newAppSecret } from './totp.ts';

/** The secret of RFC 6238, appendix B. */
const secret = Secret.fromUTF8('12345678901234567890').base32;

describe('codes of an authenticator app', () => {
  // Appendix B has eight digits; an app with six shows the last six of them.
  test.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('matches the vector of RFC 6238 at %i seconds', (seconds, eight) => {
    expect(matchingStep(secret, eight.slice(-6), seconds * 1000)).toBe(Math.floor(seconds / 30));
  });

  test('accepts a code one step early or late, and none further away', () => {
    const [code, step] = ['050471', Math.floor(1_111_111_111 / 30)];
    const at = (steps: number) => matchingStep(secret, code, (step + steps) * 30_000);
    expect([-2, -1, 0, 1, 2].map(at)).toEqual([null, step, step, step, null]);
  });

  test('rejects a wrong code', () => {
    expect(matchingStep(secret, '050472', 1_111_111_111_000)).toBeNull();
  });

  test('makes secrets of 160 bits and a URI that names the account', () => {
    const made = newAppSecret();
    expect(made).toMatch(/^[A-Z2-7]{32}$/);
    expect(newAppSecret()).not.toBe(made);
    const uri = new URL(appUri(made, 'ada@example.com'));
    expect(decodeURIComponent(uri.href)).toContain('otpauth://totp/Roster:ada@example.com');
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      issuer: 'Roster',
      secret: made,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
  });
});
