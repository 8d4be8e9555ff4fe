import { AppError } from '#server/lib/errors';

const productWords = ['roster', 'assistant', 'openai', 'provider'];

/** About 18,000 common passwords of at least eight characters, loaded at first use. */
let commonPasswords: Promise<Set<string>> | undefined;
function loadCommonPasswords(): Promise<Set<string>> {
  commonPasswords ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) =>
      new Set(dictionary['passwords-common'].filter((word): word is string => String(word).length >= 8)),
  );
  return commonPasswords;
}

/** @throws invalid_input if the password is easy to guess: common, the owner’s address, or a word of the product */
export async function refuseGuessable(password: string, email: string, field = 'password') {
  const plain = password.normalize('NFC').toLowerCase();
  const [localPart = ''] = email.split('@');
  const core = plain.replace(/[\d\W_]+$/u, '');
  const problem =
    plain === email || plain === localPart
      ? 'The password must not be your email address.'
      : productWords.includes(core) || productWords.includes(plain)
        ? 'The password must not be one of this product’s own words.'
        : (await loadCommonPasswords()).has(plain)
          ? 'This password is among the most common ones and easy to guess. Please choose another.'
          : undefined;
  if (problem) throw new AppError('invalid_input', problem, { fields: { [field]: problem } });
}
