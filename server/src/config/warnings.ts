import type { RegistrationMode } from '@roster/contracts/auth';

type Settings = {
  loopback: boolean;
  /** The server itself is reachable from other machines. */
  isPublic: boolean;
  /** The provider is reached over the network without encryption. */
  isProviderPlain: boolean;
  /** undefined: mails are written to files. */
  mail: { isPlain: boolean } | undefined;
  registration: RegistrationMode;
  trustProxy: number;
};

/** `problem`: something is insecure. `advice`: it may be intended. */
type ConfigWarning = { level: 'problem' | 'advice'; text: string };

const problem = (text: string): ConfigWarning => ({ level: 'problem', text });
const advice = (text: string): ConfigWarning => ({ level: 'advice', text });

/**
 * Warnings about allowed but risky settings, logged at each start and shown to administrators: what it means, and what
 * to set.
 */
export function configWarnings(settings: Settings): ConfigWarning[] {
  const { loopback, isProviderPlain, mail, registration, isPublic, trustProxy } = settings;
  const warnings: ConfigWarning[] = [];
  if (isProviderPlain)
    warnings.push(
      problem(
        'PROVIDER_BASE_URL begins with http://: provider keys and conversations cross the network as plain text.',
      ),
    );
  if (mail?.isPlain)
    warnings.push(
      problem('SMTP_URL allows email without TLS: links that set passwords cross the network as plain text.'),
    );
  if (loopback) return warnings;
  if (trustProxy === 0) {
    const text =
      'TRUST_PROXY is 0, so everybody seems to have the address of the proxy in front of Roster. Set it to the number of proxies.';
    // If only this machine reaches the server, people must come through a proxy on it.
    warnings.push(isPublic ? advice(text) : problem(text));
  }
  if (!mail)
    warnings.push(
      advice(
        'SMTP_URL is not set, so password links and notices stay in DATA_DIR/mail. Set SMTP_URL and MAIL_FROM to send them.',
      ),
    );
  if (registration === 'open')
    warnings.push(
      advice(
        'REGISTRATION is open: anyone who can reach PUBLIC_URL can create an account. Set REGISTRATION=closed to let only administrators add people, or REGISTRATION=invited to require an invitation.',
      ),
    );
  return warnings;
}
