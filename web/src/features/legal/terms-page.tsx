import { Link } from '@tanstack/react-router';
import { AccountLink, LegalPage, LegalSection } from './legal-page.tsx';

export function TermsPage() {
  return (
    <LegalPage
      title="Terms of Use"
      lead="These terms are between you and whoever runs this installation of Roster (“the operator”)."
    >
      <LegalSection title="What Roster does">
        <p>
          Roster lets you manage AI assistants through your own account with an external AI provider. It calls the
          provider with the API key that you save, on your behalf and when you ask it to.
        </p>
      </LegalSection>
      <LegalSection title="Who may use it">
        <p>
          The service is not for people under 16 years of age. You are responsible for what happens under your account.
          Keep your password to yourself, and sign out devices that you no longer use.
        </p>
      </LegalSection>
      <LegalSection title="Your API key and your costs">
        <ul>
          <li>Your API key is stored encrypted, is used only to call the provider, and is never shown again.</li>
          <li>You can remove it at any time in Settings, and revoke it at the provider.</li>
          <li>What the provider charges for calls made with your key is between you and the provider.</li>
          <li>The provider’s own terms and policies apply to everything that is sent to it.</li>
        </ul>
      </LegalSection>
      <LegalSection title="Your content">
        <p>
          What you write and upload stays yours. Do not use the service for anything unlawful or for anything that the
          provider forbids. Answers of a model can be wrong: check them before you rely on them.
        </p>
      </LegalSection>
      <LegalSection title="Your data">
        <p>
          Your data is retained while your account is active. You can request access to it, its correction, its deletion
          or its portability. In <AccountLink /> you can download all your data and close your account. The{' '}
          <Link to="/privacy">Privacy Policy</Link> explains what is stored.
        </p>
      </LegalSection>
      <LegalSection title="Availability">
        <p>
          Roster is provided as is, with no guarantee that it is always available or free of errors. An administrator
          may deactivate or delete an account that breaks these terms.
        </p>
      </LegalSection>
    </LegalPage>
  );
}
