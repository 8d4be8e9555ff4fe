import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { signInOptionsQuery } from '#web/api/sign-in-options.ts';

const linkClass = 'inline-flex items-center gap-1 rounded-xs hover:text-foreground hover:underline';

export function Footer() {
  const { data: options } = useQuery(signInOptionsQuery);
  return (
    <footer className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 border-border border-t px-4 py-4 text-muted-foreground text-xs md:px-6">
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
