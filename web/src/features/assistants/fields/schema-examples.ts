const text = { type: 'string' };
const closed = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** Example schemas, all valid in the provider's strict mode. */
export const schemaExamples: { label: string; schema: object }[] = [
  {
    label: 'Facts from a text',
    schema: closed({
      title: { ...text, description: 'What the text is about, in one line' },
      summary: text,
      people: { type: 'array', items: closed({ name: text, role: text }) },
      dates: { type: 'array', items: { ...text, format: 'date' } },
    }),
  },
  {
    label: 'A table',
    schema: closed({
      rows: {
        type: 'array',
        items: closed({ item: text, quantity: { type: 'integer' }, price: { type: 'number' }, note: text }),
      },
    }),
  },
  {
    label: 'One of several classes',
    schema: closed({
      label: { ...text, enum: ['question', 'complaint', 'praise', 'other'] },
      confidence: { type: 'number', minimum: 0, maximum: 1 },
      reason: text,
    }),
  },
  {
    label: 'Steps and a result',
    schema: closed({
      steps: { type: 'array', items: closed({ explanation: text, output: text }) },
      result: text,
    }),
  },
];
