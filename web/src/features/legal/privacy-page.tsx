import { LegalPage, LegalSection } from './legal-page.tsx';

export function PrivacyPage() {
  return (
    <LegalPage
      title="Privacy Policy"
      lead="This installation of Roster keeps what it needs to work for you, on the server of whoever runs it, called the operator here."
    >
      <LegalSection title="What is stored">
        <ul>
          <li>Your e-mail address, your name if you gave one, and a hash of your password, never the password.</li>
          <li>Your API key, stored encrypted with a key that is kept outside the database.</li>
          <li>Your assistants and your conversations, with the provider’s figures of what they used.</li>
          <li>The devices that are signed in: browser, IP address, when they signed in and were last active.</li>
        </ul>
      </LegalSection>
      <LegalSection title="Where it goes">
        <p>
          What you write in a chat, together with the assistant’s instructions, is sent to the AI provider of this
          installation, with your own API key and under the provider’s policies. It is not sent to anybody else, and
          there is no tracking and no advertising.
        </p>
      </LegalSection>
      <LegalSection title="In your browser">
        <p>
          One cookie keeps you signed in. Your theme, the state of the sidebar and unsent drafts are kept in this
          browser; signing out removes all of them but the theme.
        </p>
      </LegalSection>
      <LegalSection title="How long">
        <p>Data is retained while your account is active.</p>
      </LegalSection>
      <LegalSection title="Your rights">
        <p>
          You can request access to your data, its correction, its deletion, or its portability: a copy in a form that
          other software can read. Ask the operator of this installation.
        </p>
      </LegalSection>
      <LegalSection title="Age">
        <p>The service is not for people under 16 years of age, and no data of theirs is knowingly kept.</p>
      </LegalSection>
    </LegalPage>
  );
}
