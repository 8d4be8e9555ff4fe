import { AccountLink, LegalPage, LegalSection } from './legal-page.tsx';

/** Long: a page of prose. */
export function PrivacyPage() {
  return (
    <LegalPage
      title="Privacy Policy"
      lead="This installation of Roster keeps what it needs to work for you, on the server of whoever runs it, called the operator here."
    >
      <LegalSection title="What is stored">
        <ul>
          <li>
            Your e-mail address and whether it is confirmed, your name if you gave one, and a hash of your password,
            never the password.
          </li>
          <li>
            If you log in with Google or GitHub: which account there is yours, and its e-mail address. Nothing else is
            read from it but your name, once, for a new account.
          </li>
          <li>
            Your API key, your admin key if you gave one, and the headers of your tool servers, stored encrypted with a
            key that is kept outside the database.
          </li>
          <li>
            Your assistants, your conversations with your ratings, your files, datasets, fine-tuning jobs and
            comparisons, your preferences and your budgets, with the provider’s figures of what was used.
          </li>
          <li>The devices that are signed in: browser, IP address, when they signed in and were last active.</li>
          <li>
            What happened to the security of your account, such as sign-ins and password changes, with browser and IP
            address, for 180 days.
          </li>
        </ul>
      </LegalSection>
      <LegalSection title="Where it goes">
        <p>
          What you write in a chat, together with the assistant’s instructions, is sent to the AI provider of this
          installation, with your own API key and under the provider’s policies. So are the files you upload, once a key
          is saved; deleting a file here deletes it there too. Files that you give to an assistant are put into a search
          index there, and files that you train on become part of a model there. Ratings, datasets and votes stay here
          until you save them as a training file.
        </p>
        <p>
          If you let an assistant use tools of a tool server, that server is told what its tools are called with, which
          may come from your conversation, and the provider is told what they answer. Whoever runs the server can see
          it, also where an administrator offers the server to everybody. Nothing is sent to anybody else, and there is
          no tracking and no advertising.
        </p>
        <p>
          Mails about your account, such as a link to reset your password, go through the operator’s mail server. If you
          log in with Google or GitHub, they learn that you log in here.
        </p>
        <p>
          Administrators of this installation manage accounts: they see your e-mail address, name, role, and when you
          were last active. They do not see your keys, your assistants, your conversations, your files or your models.
        </p>
      </LegalSection>
      <LegalSection title="In your browser">
        <p>
          One cookie keeps you signed in; another one, for ten minutes at most, belongs to logging in with Google or
          GitHub. Your theme and colors, the state of the sidebar and unsent drafts are kept in this browser; signing
          out removes all of them but the theme.
        </p>
      </LegalSection>
      <LegalSection title="How long">
        <p>
          Data is retained while your account is active. When the account is closed, everything in it is removed at
          once; backups that the operator made before hold it until they are deleted.
        </p>
      </LegalSection>
      <LegalSection title="Your rights">
        <p>
          You can request access to your data, its correction, its deletion, or its portability: a copy in a form that
          other software can read. You need nobody’s help for it: <AccountLink /> shows what is known of you, lets you
          download all your data, and closes the account. For a correction of your name, ask an administrator of this
          installation.
        </p>
      </LegalSection>
      <LegalSection title="Age">
        <p>The service is not for people under 16 years of age, and no data of theirs is knowingly kept.</p>
      </LegalSection>
    </LegalPage>
  );
}
