const dialects = 'server/src/provider/dialects.test.ts';

/** Reads the words of an error from a member that no provider has used yet. */
export const providerQuirk = {
  name: 'provider-quirk',
  most: 3,
  code: [
    {
      file: 'simulator/src/personas/local.ts',
      before: '    const words: Words = {',
      text: "    if (kind === 'no credit') return { status: 400, body: { fault: 'the license has expired' } };\n",
    },
    {
      file: dialects,
      before: "  ])('reports %s'",
      text: "    ['words in a member of its own', json({ fault: 'the license has expired' }, 400), 'the license has expired'],\n",
    },
  ],
  demandingTests: [dialects.replace('server/', '')],
  last: [{ file: 'server/src/provider/transport/error-fields.ts', before: "  'detail',", text: "  'fault',\n" }],
};
