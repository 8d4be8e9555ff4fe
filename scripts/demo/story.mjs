/** The people of the demo, a maker of cargo bikes. The first is its administrator. */
export const password = 'try everything here';
export const people = [
  { email: 'demo@example.com', name: 'Ada Solberg' },
  { email: 'jonas@example.com', name: 'Jonas Weber' },
  { email: 'mei@example.com', name: 'Mei Tanaka' },
  { email: 'samira@example.com', name: 'Samira Haddad' },
];

export const assistants = [
  {
    name: 'Writing partner',
    description: 'Shortens, sharpens and asks what you really want to say.',
    model: 'gpt-6-luna',
    reasoningEffort: 'low',
    icon: 'pen',
    color: 'violet',
    instructions: 'You edit texts. Keep the meaning and drop what is not needed.',
    starters: ['Shorten this text', 'Make this friendlier', 'What is missing in this announcement?'],
    versions: [
      {
        daysAgo: 41,
        changes: {
          instructions:
            'You edit texts. Keep the meaning, drop what is not needed, and explain each larger change in a line.',
        },
      },
      {
        daysAgo: 20,
        changes: {
          instructions:
            'You edit texts. Keep the meaning, drop what is not needed, and explain each larger change in a line. Write in the language of the text.',
          reasoningEffort: 'medium',
        },
      },
    ],
  },
  {
    name: 'Code reviewer',
    description: 'Reads a diff as a careful colleague would.',
    model: 'gpt-6.1-terra',
    reasoningEffort: 'medium',
    icon: 'code',
    color: 'teal',
    instructions: 'You review code. Name the defect, the line and the smallest change that mends it.',
    starters: ['Review this function', 'Why is this query slow?'],
  },
  {
    name: 'Data explainer',
    description: 'Turns figures into tables and plain sentences.',
    model: 'gpt-4o',
    temperature: 0.3,
    icon: 'chart',
    color: 'blue',
    instructions: 'You explain data. Begin with the one sentence that matters, then show a table.',
    tools: { codeInterpreter: {} },
  },
  {
    name: 'Research scout',
    description: 'Searches the web and names its sources.',
    model: 'gpt-6.1-sol',
    reasoningEffort: 'low',
    icon: 'globe',
    color: 'green',
    instructions: 'You research. Give dates and sources, and say what you could not find.',
    tools: { webSearch: { location: { city: 'Bergen', country: 'NO' } } },
  },
  {
    name: 'Picture maker',
    description: 'Draws in flat shapes and the blue of the house.',
    model: 'gpt-6.1-terra',
    icon: 'palette',
    color: 'pink',
    instructions: 'You draw pictures for mailings: flat shapes, one strong color, room for a headline.',
    tools: { imageGeneration: {} },
  },
  {
    name: 'Support desk',
    description: 'Answers customers from the handbook, finds orders and books the workshop.',
    model: 'gpt-6.1-terra',
    icon: 'heart',
    color: 'orange',
    instructions: 'You answer customers of Fjord Cycles from the handbook.',
    starters: ['When does order 20418 arrive?', 'How long is the warranty on the battery?', 'Which tyre pressure?'],
    isDefault: true,
    files: ['warranty.md', 'assembly-guide.md', 'price-list-2026.md'],
    versions: [
      {
        daysAgo: 48,
        changes: {
          instructions: 'You answer customers of Fjord Cycles from the handbook, in the language they write in.',
        },
      },
      {
        daysAgo: 33,
        changes: {
          instructions:
            'You answer customers of Fjord Cycles from the handbook, in the language they write in. Give the answer first, then at most three steps.',
          description: 'Answers customers from the handbook, finds orders and books the workshop.',
        },
      },
      {
        daysAgo: 10,
        changes: {
          instructions:
            'You answer customers of Fjord Cycles from the handbook, in the language they write in. Give the answer first, then at most three steps. Never promise a date that no tool has confirmed.',
        },
      },
    ],
  },
];

const money = (total, count, at) => Math.round((total / count) * (0.8 + ((at * 37) % 41) / 100));

/** Orders whose sums by month are those that the demo's answer names. */
function orders() {
  const months = { '07': [16, 73868], '08': [19, 84210], '09': [17, 76940], 10: [22, 97380] };
  const rows = Object.entries(months).flatMap(([month, [count, total]]) => {
    const amounts = Array.from({ length: count - 1 }, (_, at) => money(total, count, at));
    const rest = total - amounts.reduce((sum, amount) => sum + amount, 0);
    return [...amounts, rest].map(
      (amount, at) => `2026-${month}-${String(1 + ((at * 7) % 28)).padStart(2, '0')},${20_300 + at},${amount}`,
    );
  });
  return ['date,order,total', ...rows].join('\n');
}

export const files = [
  {
    daysAgo: 56,
    filename: 'warranty.md',
    type: 'text/markdown',
    content: `# Warranty\n\n- Frame: ten years\n- Battery: three years or 500 full cycles, at least 70 % capacity\n- Not covered: pressure washers, chargers of other makers, storage below -20 °C\n`,
  },
  {
    daysAgo: 56,
    filename: 'assembly-guide.md',
    type: 'text/markdown',
    content: `# Assembly\n\n1. Turn the handlebar and tighten the stem with 6 Nm.\n2. Pedals: right clockwise, left counterclockwise.\n3. Tyres: 3.5 bar in front, 4 bar behind.\n4. Charge the battery fully once.\n`,
  },
  {
    daysAgo: 55,
    filename: 'price-list-2026.md',
    type: 'text/markdown',
    content: '# Prices 2026\n\n- Fjord Long: €4,890\n- Front bag: €149\n- Rain cover: €219\n- Second battery: €690\n',
  },
  { daysAgo: 36, filename: 'orders-2026.csv', type: 'text/csv', content: orders(), purpose: 'user_data' },
];

/** Questions of customers with good answers: an example for training each, and the first six a test set. */
export const hotline = [
  ['How long is the warranty on the battery?', 'Three years or 500 full cycles, whichever comes first.'],
  ['Which tyre pressure does the Fjord Long need?', '3.5 bar in front and 4 bar behind, with a full load too.'],
  ['Can I order a second battery?', 'Yes, for €690. It fits all bikes since 2024; there is nothing to set up.'],
  ['How tight does the stem have to be?', '6 Nm. Tighten both bolts in turn, a quarter of a turn each time.'],
  ['May I clean the bike with a pressure washer?', 'Please do not: water gets into the motor, and the warranty ends.'],
  ['Is there a rain cover for the children?', 'Yes, for €219. It stays on the bike when folded back.'],
  ['How long does a full charge take?', 'Four hours. The first 80 % take two and a half.'],
  ['Can I take the battery indoors?', 'Yes. Turn the key under the saddle and pull it to the left.'],
  ['How many children fit into the Fjord Long?', 'Two up to 22 kg each on the bench, or three with the seat in front.'],
  [
    'What does the red light on the display mean?',
    'The motor is too warm. Stop for five minutes; it goes out by itself.',
  ],
  ['Do you deliver to Denmark?', 'Yes, in eight working days, for €120. We put the bike together for you.'],
  ['How often does the bike need a service?', 'After the first 300 km, then once a year or every 3,000 km.'],
  [
    'Can I change the color of my order?',
    'Until we paint, two weeks before delivery: write to us with the order number.',
  ],
  ['Do you take old bikes back?', 'Yes, we value them at the workshop and take the sum off the price.'],
  ['Is leasing possible?', 'Yes, through your employer, from €98 a month including insurance.'],
  ['May I ride it before I buy?', 'Yes, for a day: book a ride in Bergen, Lyon or Hamburg on our website.'],
].map(([question, answer]) => ({ question, answer, rating: 'good' }));

/** Answers of a smaller model to some of them, so that the verdicts of the test differ. */
export const otherAnswers = {
  'gpt-6-luna': {
    'How long is the warranty on the battery?':
      'Three years or 500 full cycles, whichever comes first, and it keeps at least 70 % of its capacity in that time.',
    'Can I order a second battery?': 'Yes, for €690.',
    'How tight does the stem have to be?': 'Six newton metres.',
  },
};

/** The trained model against its base, which knows nothing of the house. */
export const baseModel = 'gpt-4.1-mini-2025-04-14';
export const comparison = {
  votes: ['candidate', 'candidate', 'tie', 'candidate', 'baseline'],
  questions: [
    [
      'My display shows a red light. Can I ride on?',
      'Stop for five minutes: the motor is too warm. The light goes out by itself, then you can ride on.',
      'A red light on an e-bike display can mean several things, such as a low battery or an error. Please consult your manual.',
    ],
    [
      'What does a second battery cost?',
      '€690. It fits all bikes since 2024; there is nothing to set up.',
      'Second batteries for e-bikes usually cost between $400 and $900, depending on brand and capacity.',
    ],
    [
      'Is my child of 24 kg too heavy for the bench?',
      'Yes, by two kilograms: the bench carries up to 22 kg for each child. The seat in front takes 30 kg.',
      'It may be. Most benches carry 20 to 25 kg for each child, so please look up the limit of yours.',
    ],
    [
      'How do I take the battery out?',
      'Turn the key under the saddle and pull the battery to the left.',
      'Switch the bike off, find the release lever, and gently slide the battery out of its mount.',
    ],
    [
      'Can I ride in the rain?',
      'Yes.',
      'Yes. E-bikes stand rain well; avoid deep water, and dry the contacts of the battery afterwards.',
    ],
  ].map(([question, answer, ofBase]) => ({ question, answer, byModel: { [baseModel]: ofBase } })),
};

export const prompts = [
  {
    name: 'summary',
    title: 'Summary for the Monday meeting',
    text: 'Summarize this in three points, each with who does what by when:\n\n{{text}}',
  },
  { name: 'translate', title: 'Translate for a customer', text: 'Translate into {{language}}, politely:\n\n{{text}}' },
  { name: 'review', title: 'Review before publishing', text: 'List errors and unclear places, the worst first.' },
];

/** The programs that ask through `/v1` on every working day, with the tokens of an answer. */
export const programs = [
  { owner: 0, name: 'Nightly ticket summaries', model: 'gpt-5.4', perDay: 2, input: 9_000, output: 2_600 },
  { owner: 0, name: 'Website chat', model: 'gpt-6-luna', perDay: 2, input: 4_000, output: 1_800 },
  { owner: 0, name: 'Product texts', model: 'gpt-5.5', perDay: 1, input: 5_000, output: 4_800, until: 20 },
  { owner: 0, name: 'Product texts', model: 'gpt-6.1-sol', perDay: 2, input: 5_000, output: 4_800, from: 20 },
  { owner: 1, name: 'Build failures', model: 'gpt-5.4-mini', perDay: 1, input: 6_000, output: 900 },
];

/** Conversations of the others. */
export const visits = [
  { person: 1, daysAgo: 45, model: 'gpt-5.4', question: 'Write code that groups failed builds by their cause.' },
  { person: 1, daysAgo: 16, model: 'gpt-6.1-terra', question: 'Draw a diagram of our release.' },
  { person: 2, daysAgo: 34, model: 'gpt-6-luna', question: 'Compare three ways to pack a frame in a table.' },
  { person: 2, daysAgo: 6, model: 'gpt-6.1-sol', question: 'List the steps of a product recall.' },
  { person: 3, daysAgo: 27, model: 'gpt-4o', question: 'List what a workshop needs in winter.' },
];
