import { AccountLink, LegalPage, LegalSection } from './legal-page.tsx';

/** Long: a page of prose. */
export function PrivacyPage() {
  return (
    <LegalPage
      title="Privacy Policy"
      lead="This installation of Roster keeps the data it needs to work for you on a server run by its operator."
    >
      <LegalSection title="What is stored">
        <ul>
          <li>
            Your email address and whether it is confirmed, your name if you entered one, and a hash of your password
            (never the password itself).
          </li>
          <li>
            If you log in with Google or GitHub: the id and email address of that account. Your name is read once, for a
            new account; nothing else is read.
          </li>
          <li>
            Your API key, the keys of your connections, your admin key if you added one, and the headers of your tool
            servers, stored encrypted with a key that is kept outside the database.
          </li>
          <li>
            Your assistants, your conversations with your ratings, your files, datasets, fine-tuning jobs and
            comparisons, your preferences and your budgets, and the usage that the provider reports.
          </li>
          <li>The devices that are signed in: browser, IP address, when they signed in and were last active.</li>
          <li>
            Security events of your account, such as sign-ins and password changes, with browser and IP address, for 180
            days.
          </li>
        </ul>
      </LegalSection>
      <LegalSection title="Where it goes">
        <p>
          What you write in a chat, together with the assistant’s instructions, is sent to the AI provider of this
          installation, or of the connection whose model you choose, with your own key and under that provider’s
          policies. Once an API key is saved, the files you upload are also sent to the provider; deleting a file here
          deletes it there too. Files of an assistant are put into a search index there, and files that you train on
          become part of a model there. Ratings, datasets and votes stay here until you save them as a training file.
        </p>
        <p>
          If an assistant uses tools of a tool server, that server receives the arguments of each call, which may come
          from your conversation, and the provider receives the results. The operator of the server can see both,
          including when an administrator shares the server with everyone. Nothing is sent to anyone else. There is no
          tracking and no advertising.
        </p>
        <p>
          Emails about your account, such as a link to reset your password, go through the operator’s mail server. If
          you log in with Google or GitHub, they learn that you log in here.
        </p>
        <p>
          Administrators of this installation manage accounts: they see your email address, name, role, and when you
          were last active. They do not see your keys, your assistants, your conversations, your files or your models.
        </p>
      </LegalSection>
      <LegalSection title="In your browser">
        <p>
          One cookie keeps you signed in. Another, which lasts at most ten minutes, is used while you log in with Google
          or GitHub. Your theme and colors, the state of the sidebar and unsent drafts are kept in this browser; signing
          out removes all of them but the theme.
        </p>
      </LegalSection>
      <LegalSection title="How long">
        <p>
          Data is retained while your account is active. When the account is closed, everything in it is deleted
          immediately. Backups that the operator made earlier contain it until they are deleted.
        </p>
      </LegalSection>
      <LegalSection title="Your rights">
        <p>
          You can request access to your data, its correction, its deletion, or its portability: a copy in a form that
          other software can read. You can do all of this yourself: <AccountLink /> shows what is stored about you, and
          lets you correct your name and address, download all your data, and close the account.
        </p>
      </LegalSection>
      <LegalSection title="Age">
        <p>The service is not for people under 16 years of age, and does not knowingly keep their data.</p>
      </LegalSection>
    </LegalPage>
  );
}
