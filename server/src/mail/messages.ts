import { modelIdOf } from '@roster/contracts/models/model-reference';
import { truncate } from '@roster/contracts/text/truncate';
import { type SecondFactorMessage, secondFactorMessage } from './second-factor-message.ts';
import type { Mail } from './transport.ts';

export type Message =
  | { about: 'password_link'; hasPassword: boolean; link: string; askedBy: 'self' | 'administrator' }
  | { about: 'invitation'; by: string; link: string }
  | { about: 'invited'; by: string; site: string; link: string; expiresAt: string }
  | { about: 'confirm_email'; link: string }
  | { about: 'new_address'; before: string; link: string }
  | { about: 'new_address_asked'; email: string; askAgain: string }
  | { about: 'address_changed'; email: string; site: string }
  | { about: 'password_changed'; askAgain: string }
  | {
      about: 'login_method_connected' | 'login_method_disconnected';
      /** The login provider’s name. */
      provider: string;
      site: string;
      askAgain: string;
    }
  | { about: 'models_end'; models: readonly RetirementEntry[]; more: number; page: string; settings: string }
  | { about: 'account_closed'; site: string }
  | SecondFactorMessage;

type RetirementEntry = { model: string; shutdownDate: string; successor: string | null; assistants: number };

/** The lifetime of a mailed link, in words; see tokenLifeMs in features/auth/mailed-token-repository.ts. */
const linkLifetime = 'The link works once and expires after 30 minutes.';

/**
 * Roster's mails, in plain text. Its own text is ASCII only, so that a stored mail can be read, and its link followed,
 * in any text editor. Subjects are fixed: user input never gets into a header.
 */
export function writeMessage(message: Message, to: string): Mail {
  const [subject, paragraphs] = render(message, to);
  return { to, subject, text: `${paragraphs.join('\n\n')}\n` };
}

/** Long: the texts of all mails, one after the other. */
function render(message: Message, to: string): [subject: string, paragraphs: string[]] {
  switch (message.about) {
    case 'password_link': {
      const set = message.hasPassword ? 'reset' : 'set';
      const who =
        message.askedBy === 'self'
          ? `Someone asked to ${set} the password of your Roster account ${to}.`
          : `An administrator asked you to ${set} the password of your Roster account ${to}.`;
      const not =
        message.askedBy === 'self'
          ? 'If this was not you, ignore this email. Nothing changes unless the link is used.'
          : 'If you did not expect this, check with your administrator before you use the link. Nothing changes until then.';
      return [
        message.hasPassword ? 'Reset your Roster password' : 'Set your Roster password',
        [
          who,
          `To choose a ${message.hasPassword ? 'new ' : ''}password, open this link:`,
          message.link,
          `${linkLifetime} Setting the password signs you out on all devices.`,
          not,
        ],
      ];
    }
    case 'invitation':
      return [
        'Your Roster account',
        [
          `${oneLine(message.by)} created a Roster account for you: ${to}.`,
          'To choose your password and sign in, open this link:',
          message.link,
          `${linkLifetime} After that, ask for a new one with "Forgot password?" on the sign-in page.`,
          'If you did not expect this, ignore this email.',
        ],
      ];
    case 'invited':
      return [
        'Your invitation to Roster',
        [
          `${oneLine(message.by)} invited you to Roster at ${message.site}. Your account will use the address ${to}.`,
          'To create your account, open this link:',
          message.link,
          `The link works once, until ${message.expiresAt.slice(0, 16).replace('T', ' ')} UTC.`,
          'If you did not expect this, ignore this email. No account is created unless the link is used.',
        ],
      ];
    case 'confirm_email':
      return [
        'Confirm your email address for Roster',
        [
          `A Roster account was created with the address ${to}. To confirm that it is yours, open this link in the browser where you are signed in:`,
          message.link,
          linkLifetime,
          'If you did not register for Roster, ignore this email and do not open the link.',
        ],
      ];
    case 'new_address':
      return [
        'Confirm the new address of your Roster account',
        [
          `Someone asked to change the address of the Roster account ${message.before} to ${to}. To confirm the change, open this link in the browser where you are signed in:`,
          message.link,
          `${linkLifetime} Until then the address does not change.`,
          'If you did not ask for this, ignore this email and do not open the link.',
        ],
      ];
    case 'new_address_asked':
      return [
        'A new address was requested for your Roster account',
        [
          `Someone who is signed in to your Roster account ${to} asked to change its address to ${message.email}. The address changes when the link sent there is opened.`,
          'If this was you, you do not need to do anything else here.',
          'If this was not you, reset your password immediately. This signs out all devices. Request a link:',
          message.askAgain,
        ],
      ];
    case 'address_changed':
      return [
        'The address of your Roster account was changed',
        [
          `The Roster account ${to} at ${message.site} now has the address ${message.email}. Other devices were signed out.`,
          'If this was you, you do not need to do anything. If it was not, tell the administrator of this installation immediately.',
        ],
      ];
    case 'password_changed':
      return [
        'Your Roster password was changed',
        [
          `The password of your Roster account ${to} was just changed. Other devices were signed out.`,
          'If this was you, you do not need to do anything.',
          'If this was not you, request a link to reset your password immediately:',
          message.askAgain,
        ],
      ];
    case 'login_method_connected':
    case 'login_method_disconnected': {
      const name = message.provider;
      const isConnected = message.about === 'login_method_connected';
      return [
        isConnected
          ? `${name} was connected to your Roster account`
          : `${name} was disconnected from your Roster account`,
        [
          isConnected
            ? `A ${name} account was just connected to your Roster account ${to}. It can now be used to sign in.`
            : `The ${name} account was just disconnected from your Roster account ${to}. It can no longer be used to sign in.`,
          'If this was you, you do not need to do anything.',
          `If this was not you, ${isConnected ? `disconnect it on the Settings page (${message.site}) and ` : ''}request a link to reset your password immediately:`,
          message.askAgain,
        ],
      ];
    }
    case 'models_end':
      return retirementMessage(message);
    case 'second_factor':
      return secondFactorMessage(message, to);
    case 'account_closed':
      return [
        'Your Roster account was closed',
        [
          `The Roster account ${to} at ${message.site} was closed and all its data was deleted.`,
          'This cannot be undone. If this was not you, tell the administrator of this installation.',
        ],
      ];
  }
}

/** Keeps a user-supplied name from imitating a paragraph of ours. */
const oneLine = (text: string) => truncate(text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim(), 200);

const longDay = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });

function retirementLine({ model, shutdownDate, successor, assistants }: RetirementEntry): string {
  const users =
    assistants === 0 ? '' : assistants === 1 ? ' One assistant uses it.' : ` ${assistants} assistants use it.`;
  const next = successor === null ? '' : ` Its successor is ${successor}.`;
  return `- ${oneLine(modelIdOf(model))} retires on ${longDay.format(new Date(shutdownDate))}.${users}${next}`;
}

function retirementMessage({
  models,
  more,
  page,
  settings,
}: Extract<Message, { about: 'models_end' }>): [subject: string, paragraphs: string[]] {
  const lines = models.map(retirementLine);
  if (more > 0) lines.push(`- and ${more} more`);
  return [
    'Models you use in Roster retire soon',
    [
      'The provider is retiring these models. Each stops working on its retirement date.',
      lines.join('\n'),
      'To see where you use them and choose other models, open this page:',
      page,
      `You get this reminder 60 days, 14 days and one day before. To turn it off, open Notifications in Settings: ${settings}`,
    ],
  ];
}
