import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { signInOptionsQuery } from '#web/api/sign-in-options.ts';
import { buttonClass } from '#web/ui/button.tsx';
import { SecondStep } from './lazy-second-step.tsx';
import { LoginForm } from './login-form.tsx';
import { LoginProviders } from './login-providers.tsx';
import type { MailedLink } from './mailed-link.ts';
import { NarrowPage } from './narrow-page.tsx';

/** Only a user signed in to the account can confirm its address, so visitors log in first. */
export function ConfirmLogin({ link }: { link: MailedLink | null }) {
  const { data: options } = useQuery(signInOptionsQuery);
  const [isSecondStep, setSecondStep] = useState(false);
  if (!link) {
    return (
      <NarrowPage
        title="Confirm your email"
        heading="Invalid Confirmation Link"
        lead="Part of the link is missing, or the page was reloaded. Open the link from the email once more, or log in and send a new one from Settings, Account."
      >
        <Link
          to="/auth"
          search={{ redirect: '/settings' }}
          className={buttonClass({ variant: 'primary', className: 'mt-6 self-start' })}
        >
          Log in
        </Link>
      </NarrowPage>
    );
  }
  return (
    <NarrowPage
      title="Confirm your email"
      heading="Confirm your email address"
      lead="Log in to the account named in the email, with its current address. The change is then confirmed."
    >
      <div className="pt-6">
        {isSecondStep ? (
          <SecondStep onBack={() => setSecondStep(false)} onDone={() => undefined} />
        ) : (
          <LoginForm onSecondStep={() => setSecondStep(true)} />
        )}
        {options && !isSecondStep && (
          <LoginProviders options={options} title="OR CONTINUE WITH" returnPath="/confirm-email" />
        )}
        {(options?.google || options?.github || options?.openId) && (
          <p className="mt-3 text-muted-foreground text-sm">
            After logging in through a login provider, open the link from the email once more.
          </p>
        )}
      </div>
    </NarrowPage>
  );
}
