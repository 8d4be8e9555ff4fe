/** A public tool server, as its vendor's documentation describes it. */
export type KnownServer = {
  name: string;
  url: string;
  /** Its use for an assistant, as a sentence. */
  use: string;
  /** `none`: open to everybody. `oauth`: everybody signs in with their own account there. */
  authType: 'none' | 'oauth';
  /** Requirement for its users. */
  needs: string;
  /** The vendor's page that these facts were read from. */
  source: string;
};

/** The day on which the sources were read. */
export const knownServersAsOf = '2026-11-28';

export const knownServers: readonly KnownServer[] = [
  {
    name: 'DeepWiki',
    url: 'https://mcp.deepwiki.com/mcp',
    use: 'Answers questions about public GitHub repositories.',
    authType: 'none',
    needs: 'No account',
    source: 'https://docs.devin.ai/work-with-devin/deepwiki-mcp',
  },
  {
    name: 'Microsoft Learn',
    url: 'https://learn.microsoft.com/api/mcp',
    use: 'Searches Microsoft’s documentation and code samples.',
    authType: 'none',
    needs: 'No account',
    source: 'https://learn.microsoft.com/training/support/mcp',
  },
  {
    name: 'Notion',
    url: 'https://mcp.notion.com/mcp',
    use: 'Works with the pages of a Notion workspace.',
    authType: 'oauth',
    needs: 'A Notion account',
    source: 'https://developers.notion.com/guides/mcp/build-mcp-client',
  },
  {
    name: 'Sentry',
    url: 'https://mcp.sentry.dev/mcp',
    use: 'Looks up issues, errors and projects.',
    authType: 'oauth',
    needs: 'A Sentry account',
    source: 'https://docs.sentry.io/ai/mcp/',
  },
  {
    name: 'Stripe',
    url: 'https://mcp.stripe.com',
    use: 'Works with the Stripe API and searches its documentation.',
    authType: 'oauth',
    needs: 'A Stripe account',
    source: 'https://docs.stripe.com/mcp',
  },
];
