/** The conversations of the last three days, which the first page of the demo shows. */
export const recent = [
  {
    daysAgo: 3,
    at: '10:30',
    title: 'A name for the new bike',
    models: ['gpt-6.1-terra', 'gpt-6-luna', 'gpt-4o'],
    exchanges: [
      {
        question: 'Suggest three names for a short cargo bike for cities, and say which you would take.',
        answer: `1. **Fjord Mini**: clear next to *Fjord Long*
2. **Fjord Tram**: it runs where trams do
3. **Fjord Hopper**: short trips, quick stops

I would take **Tram**: nobody else has it, and it says *city* in four letters.`,
        byModel: {
          'gpt-6-luna': `- **Fjord Mini**
- **Fjord City**
- **Fjord Dash**

My choice: **Fjord Mini**. Customers will guess at once that it is the small one.`,
          'gpt-4o': `Here are three names:

1. **Fjord Urban**, modern and simple
2. **Fjord Compact**, describes the size
3. **Fjord Swift**, sounds fast

I would choose **Fjord Compact**, because it tells what the bike is.`,
        },
      },
    ],
  },
  {
    daysAgo: 2,
    at: '09:05',
    title: 'How far does a 500 Wh battery go?',
    model: 'gpt-6.1-sol',
    pinned: true,
    exchanges: [
      {
        question: 'How far does a cargo bike go with a 500 Wh battery? Show the formula and a table by load.',
        answer: `The range is the energy of the battery divided by what a kilometre takes:

$$
d = \\frac{E \\cdot \\eta}{e_0 + k \\cdot m}
$$

with $E = 500$ Wh, efficiency $\\eta = 0.8$, a base of $e_0 = 4$ Wh/km and $k = 0.02$ Wh/km for each kilogram of load $m$.

| Load | Energy per km | Range |
|---:|---:|---:|
| 0 kg | 4.0 Wh | **100 km** |
| 50 kg | 5.0 Wh | **80 km** |
| 100 kg | 6.0 Wh | **67 km** |
| 150 kg | 7.0 Wh | **57 km** |

Cold weather takes another 20 %. For the website I would promise "50 to 80 km with children or shopping": true in nearly every case.`,
        rating: 'good',
      },
      {
        question: 'Draw how the charge is decided in the controller.',
        answer: `\`\`\`mermaid
flowchart LR
  A[Plug in] --> B{Temperature?}
  B -- below 0 °C --> C[Warm up]
  C --> B
  B -- 0 to 45 °C --> D[Charge to 80 % fast]
  D --> E[Charge to 100 % slowly]
  B -- above 45 °C --> F[Wait]
  F --> B
\`\`\`

The last fifth is slow on purpose: it doubles the number of cycles.`,
      },
    ],
  },
  {
    daysAgo: 1,
    at: '14:00',
    title: 'Order 20418: when does it arrive?',
    assistant: 'Support desk',
    exchanges: [
      {
        question: 'When does order 20418 arrive?',
        directives: '[[call workshop__find_order]]',
        callArguments: { number: '20418' },
        answer: `Ingrid Moe's **Fjord Long** (midnight blue) is in transit with Nordlink and arrives on **Wednesday between 10:00 and 14:00**.

She can move the delivery until Tuesday noon with the link in Nordlink's mail.`,
        rating: 'good',
      },
    ],
  },
  {
    daysAgo: 0,
    minutesAgo: 12,
    title: 'Workshop slot for Ingrid Moe',
    assistant: 'Support desk',
    exchanges: [
      {
        question: 'Book Ingrid Moe for the first free slot on Tuesday in Bergen: her rear brake squeals.',
        directives: '[[call workshop__book_slot]]',
        callArguments: { customer: 'Ingrid Moe', city: 'Bergen', slot: 'Tuesday 09:00', work: 'Rear brake squeals' },
        answer: `Booked: **Tuesday, 09:00 in Bergen**, confirmation **WS-2207**. Ingrid Moe has got a mail.`,
        waits: true,
      },
    ],
  },
];
