// The demo's tool server: orders and workshop bookings of a maker of cargo bikes, on standard input and output.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const text = { type: 'string' };
const tools = [
  {
    name: 'find_order',
    title: 'Find an order',
    description: 'Finds an order by its number, with its state and delivery.',
    inputSchema: { type: 'object', properties: { number: text }, required: ['number'] },
    annotations: { readOnlyHint: true },
    answer: ({ number }) => ({
      number,
      customer: 'Ingrid Moe',
      model: 'Fjord Long, midnight blue',
      state: 'In transit',
      carrier: 'Nordlink',
      expected: 'Wednesday, 10:00 to 14:00',
      total: '4,890.00 EUR',
    }),
  },
  {
    name: 'free_slots',
    title: 'Free workshop slots',
    description: 'Lists free slots of the workshop in the next days.',
    inputSchema: { type: 'object', properties: { city: text }, required: ['city'] },
    annotations: { readOnlyHint: true },
    answer: ({ city }) => ({ city, slots: ['Tuesday 09:00', 'Tuesday 13:30', 'Thursday 11:00'] }),
  },
  {
    name: 'book_slot',
    title: 'Book a workshop slot',
    description: 'Books a slot of the workshop and mails the customer.',
    inputSchema: {
      type: 'object',
      properties: { customer: text, city: text, slot: text, work: text },
      required: ['customer', 'slot'],
    },
    answer: ({ customer, slot }) => ({ booked: true, customer, slot, confirmation: 'WS-2207' }),
  },
];

const server = new Server({ name: 'workshop', version: '1.0.0' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(({ answer: _, ...tool }) => tool) }));
server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
  const tool = tools.find(({ name }) => name === params.name);
  if (!tool) return { isError: true, content: [{ type: 'text', text: `There is no tool ${params.name}.` }] };
  return { content: [{ type: 'text', text: JSON.stringify(tool.answer(params.arguments ?? {}), null, 2) }] };
});
await server.connect(new StdioServerTransport());
