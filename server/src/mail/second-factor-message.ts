/** `factor`: after 'a' or 'an'. `left`: recovery codes that are not used yet. */
export type SecondFactorMessage = {
  about: 'second_factor';
  change: 'added' | 'removed' | 'reset' | 'recovery_code_used' | 'recovery_codes_made';
  factor?: string | undefined;
  left?: number | undefined;
  settings: string;
  askAgain: string;
};

/** Mails about changes to an account’s second factors and recovery codes. */
export function secondFactorMessage(message: SecondFactorMessage, to: string): [subject: string, text: string[]] {
  const [subject, sentence] = describe(message, to);
  const [last, then] =
    message.change === 'reset'
      ? [
          'If you did not ask for this, tell the administrator of this installation and set up a new one in Settings:',
          message.settings,
        ]
      : [
          message.change === 'added'
            ? // A reset leaves the factors, and with a passkey somebody else could sign in.
              'If this was not you, tell your administrator, who can remove it, and reset your password immediately:'
            : 'If this was not you, reset your password immediately, which signs out all devices, and tell your administrator:',
          message.askAgain,
        ];
  return [subject, [...sentence, 'If this was you, you do not need to do anything.', last, then]];
}

function describe({ change, factor = 'second factor', left = 0 }: SecondFactorMessage, to: string): [string, string[]] {
  const article = /^[aeiou]/i.test(factor) ? 'An' : 'A';
  switch (change) {
    case 'added':
      return [
        'A second factor was added to your Roster account',
        [`${article} ${factor} was just added to your Roster account ${to}. You now need it to sign in.`],
      ];
    case 'removed':
      return [
        'A second factor was removed from your Roster account',
        [`${article} ${factor} was just removed from your Roster account ${to}.`],
      ];
    case 'reset':
      return [
        'The second factor of your Roster account was reset',
        [
          `An administrator or the operator removed all second factors and recovery codes of your Roster account ${to} and signed you out on all devices. You can now sign in without a second factor.`,
        ],
      ];
    case 'recovery_code_used':
      return [
        'A recovery code was used for your Roster account',
        [
          `Someone signed in to your Roster account ${to} with a recovery code. ${left === 1 ? 'One code is' : `${left} codes are`} left.`,
        ],
      ];
    case 'recovery_codes_made':
      return [
        'Your Roster account has new recovery codes',
        [`New recovery codes were just created for your Roster account ${to}. The old ones no longer work.`],
      ];
  }
}
