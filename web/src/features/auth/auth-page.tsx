import type { SignInOptions } from '@roster/contracts/auth';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bot, KeyRound, MessagesSquare } from 'lucide-react';
import { signInOptionsQuery } from '#web/api/sign-in-options.ts';
import { lazyPart, preloadOnceUsable } from '#web/lib/lazy.ts';
import { Logo } from '#web/ui/logo.tsx';
import { SpinnerPanel } from '#web/ui/states/spinner.tsx';
import { Tabs } from '#web/ui/tabs.tsx';
import { PasskeySignIn } from './lazy-passkey-sign-in.tsx';
import { SecondStep } from './lazy-second-step.tsx';
import { LoginForm } from './login-form.tsx';
import { LoginProviders } from './login-providers.tsx';

// Most visitors have an account, so the other form is loaded after the login form.
const RegisterForm = lazyPart(async () => (await import('./register-form.tsx')).RegisterForm, {
  pending: () => <SpinnerPanel label="Loading the form" className="min-h-72" />,
});
/** Preloads the other tab. */
export const loadRegisterForm = RegisterForm.load;
preloadOnceUsable(loadRegisterForm);

type AuthTab = 'login' | 'register';
type AuthPageProps = {
  tab: AuthTab;
  onTabChange: (tab: AuthTab) => void;
  /** Path to open after signing in. */
  returnPath: string;
  /** Asks for the second factor instead. */
  isSecondStep: boolean;
  onSecondStep: () => void;
  /** The second step was taken; the path comes from the start of the sign-in. */
  onDone: (returnPath: string) => void;
};

const points = [
  { icon: KeyRound, text: 'User-specific API keys for privacy: yours is encrypted and used only for you.' },
  { icon: Bot, text: 'Multiple assistants per user, each with its own model and instructions.' },
  { icon: MessagesSquare, text: 'Secure conversation storage and management, on this installation only.' },
];

export function AuthPage(props: AuthPageProps) {
  const { tab, onTabChange, isSecondStep, onDone } = props;
  const { data: options } = useQuery(signInOptionsQuery);

  return (
    <div className="flex min-h-dvh">
      <title>{`${tab === 'login' ? 'Login' : 'Register'} · Roster`}</title>
      <main className="flex min-w-0 flex-1 flex-col px-5 sm:px-8">
        <div className="mx-auto flex w-full max-w-sm flex-1 flex-col pt-12 pb-8 sm:pt-[14dvh]">
          <Logo className="mb-5 size-9" />
          {isSecondStep ? (
            <>
              <h1 className="mb-6 font-semibold text-xl tracking-[-0.012em]">Confirm it’s you</h1>
              <SecondStep onBack={() => onTabChange('login')} onDone={onDone} />
            </>
          ) : (
            <FirstStep options={options} {...props} />
          )}
        </div>
        <LegalLinks />
      </main>
      <Introduction />
    </div>
  );
}

/** Login and registration. */
function FirstStep(props: AuthPageProps & { options: SignInOptions | undefined }) {
  const { options, tab, onTabChange, returnPath, onSecondStep } = props;
  if (options?.passwordLogin === false)
    return (
      <>
        <h1 className="font-semibold text-xl tracking-[-0.012em]">Log in to Roster</h1>
        <LoginProviders options={options} title="CONTINUE WITH" returnPath={returnPath} />
      </>
    );
  return (
    <>
      <h1 className="font-semibold text-xl tracking-[-0.012em]">
        {tab === 'login' ? 'Log in to Roster' : 'Create your Roster account'}
      </h1>
      <p className="mt-1 mb-6 text-muted-foreground lg:hidden">
        Manage AI assistants through your own provider account.
      </p>
      <Tabs
        label="Login or register"
        value={tab}
        onValueChange={onTabChange}
        items={[
          { value: 'login', label: 'Login' },
          { value: 'register', label: 'Register' },
        ]}
        look="segment"
        stretch
        className="lg:mt-6"
      >
        <div className="pt-6">
          {tab === 'login' ? (
            <>
              <LoginForm onSecondStep={onSecondStep} />
              <PasskeySignIn />
            </>
          ) : (
            <RegisterForm options={options} />
          )}
          {options && (
            <LoginProviders
              options={options}
              title={tab === 'login' ? 'OR CONTINUE WITH' : 'OR SIGN UP WITH'}
              returnPath={returnPath}
            />
          )}
        </div>
      </Tabs>
    </>
  );
}

/** Introduction beside the forms, where there is room. */
function Introduction() {
  return (
    <aside className="hidden flex-1 items-center border-border border-s bg-card px-12 lg:flex xl:px-20">
      <div className="max-w-md">
        <h2 className="font-semibold text-2xl tracking-[-0.02em]">
          Manage AI assistants through your own provider account.
        </h2>
        <ul className="mt-8 grid gap-5">
          {points.map(({ icon: IconPart, text }) => (
            <li key={text} className="flex gap-3.5">
              <span className="flex size-8 shrink-0 items-center justify-center rounded-md border border-border bg-background text-muted-foreground">
                <IconPart aria-hidden className="size-4" />
              </span>
              <p className="pt-1.5 text-muted-foreground">{text}</p>
            </li>
          ))}
        </ul>
      </div>
    </aside>
  );
}

function LegalLinks() {
  return (
    <footer className="mx-auto flex w-full max-w-sm gap-5 py-5 text-muted-foreground text-xs">
      <Link to="/terms" className="rounded-xs hover:text-foreground hover:underline">
        Terms of Use
      </Link>
      <Link to="/privacy" className="rounded-xs hover:text-foreground hover:underline">
        Privacy Policy
      </Link>
    </footer>
  );
}
