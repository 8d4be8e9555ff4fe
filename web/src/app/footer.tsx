import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { signInOptionsQuery } from '#web/api/sign-in-options.ts';
import { classNames } from '#web/ui/class-names.ts';

const linkClass = 'inline-flex items-center gap-1 rounded-xs hover:text-foreground hover:underline';

/** `slim`: for pages that fill the window; hidden on phones. */
export function Footer({ slim }: { slim?: boolean | undefined }) {
  const { data: options } = useQuery(signInOptionsQuery);
  return (
    <footer
      className={classNames(
        'flex flex-wrap items-center justify-between gap-x-6 gap-y-1 border-border border-t px-4 text-muted-foreground text-xs md:px-6',
        slim ? 'py-2 max-md:hidden' : 'py-4',
      )}
    >
      <p>© {new Date().getFullYear()} Roster</p>
      <nav aria-label="Legal" className="flex flex-wrap gap-x-5 gap-y-1">
        <Link to="/terms" className={linkClass}>
          Terms of Use
        </Link>
        <Link to="/privacy" className={linkClass}>
          Privacy Policy
        </Link>
        {options && (options.provider.isOpenAi || options.provider.name === 'OpenAI') && (
          <a href="https://openai.com/policies/" target="_blank" rel="noopener noreferrer" className={linkClass}>
            {options.provider.name} Policies
            <ExternalLink aria-hidden className="size-3" />
            <span className="sr-only">(opens in a new tab)</span>
          </a>
        )}
      </nav>
    </footer>
  );
}
