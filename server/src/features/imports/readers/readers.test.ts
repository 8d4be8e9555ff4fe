import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ImportedConversation } from '#server/conversation/imported';
import { seeded } from '#server/testing/generated';
import { write as json, only, read, zip } from '#server/testing/read-exports';
import { jsonValues } from './json-values.ts';

const lines = ({ messages }: ImportedConversation) =>
  messages.map(({ sourceId, parent, role, text }) => `${sourceId} < ${parent ?? '-'} ${role}: ${text}`);

const node = (id: string, parent: string | null, role: string, text: unknown, more: object = {}) => ({
  id,
  parent,
  children: [],
  message: {
    id,
    author: { role },
    create_time: 1_700_000_000.5,
    content: { content_type: 'text', parts: [text] },
    ...more,
  },
});
const chat = (nodes: ReturnType<typeof node>[], more: object = {}) => ({
  conversation_id: 'c1',
  title: 'Trip',
  create_time: 1_700_000_000,
  update_time: 1_700_000_100.25,
  mapping: Object.fromEntries(nodes.map((one) => [one.id, one])),
  ...more,
});

test('reads branches, hidden nodes, tools and models of ChatGPT', async () => {
  const { conversation, leftOut } = await only(
    chat(
      [
        { ...node('root', null, 'system', ''), message: null } as never,
        node('s', 'root', 'system', 'Be brief'),
        node('u', 's', 'user', 'Where to?'),
        node('h', 'u', 'user', 'About me', { metadata: { is_visually_hidden_from_conversation: true } }),
        node('t', 'h', 'assistant', '', {
          content: { content_type: 'code', text: 'search("Oslo")' },
          recipient: 'browser',
        }),
        node('r', 't', 'tool', 'Results'),
        node('a', 'r', 'assistant', 'Oslo\ue200cite\ue202turn0\ue201.', { metadata: { model_slug: 'gpt-4o' } }),
        node('b', 'u', 'assistant', 'Rome', { metadata: { model_slug: 'gpt-4' } }),
        node('i', 'a', 'user', '', {
          content: { content_type: 'multimodal_text', parts: [{ content_type: 'image_asset_pointer' }] },
        }),
      ],
      { current_node: 'r', is_archived: true, title: null },
    ),
  );
  expect(lines(conversation)).toEqual([
    'u < - user: Where to?',
    'a < u assistant: Oslo.',
    'i < a user: [A file that was not imported]',
    'b < u assistant: Rome',
  ]);
  expect(conversation).toMatchObject({
    source: 'chatgpt',
    sourceId: 'c1',
    title: null,
    archived: true,
    head: 'u',
    createdAt: '2023-11-14T22:13:20.000Z',
    updatedAt: '2023-11-14T22:15:00.250Z',
  });
  expect(conversation.messages.map(({ model }) => model)).toEqual([null, 'gpt-4o', null, 'gpt-4']);
  expect(leftOut).toEqual({ system_messages: 1, hidden_messages: 1, tool_steps: 2, files: 1 });
});

const filesIn = ({ messages }: ImportedConversation) =>
  messages.map(({ sourceId, files }) => `${sourceId}: ${files.map(({ filename, entry }) => `${filename} (${entry})`)}`);

test('finds the images and files of messages in an archive of ChatGPT', async () => {
  const image = (pointer: string) => ({ content_type: 'image_asset_pointer', asset_pointer: pointer });
  const multimodal = (...parts: unknown[]) => ({ content: { content_type: 'multimodal_text', parts } });
  const nodes = [
    node('u', null, 'user', '', {
      ...multimodal(image('file-service://file-Abc1'), 'Look'),
      metadata: {
        attachments: [
          { id: 'file-Abc1', name: 'beach.png' },
          { id: 'file_00ff', name: 'plan.pdf' },
        ],
      },
    }),
    node('t', 'u', 'tool', '', multimodal(image('sediment://file_0001'))),
    node('v', 't', 'user', '', {
      ...multimodal({ content_type: 'x', audio_asset_pointer: { asset_pointer: 'sediment://file_0002' } }),
    }),
    node('w', 'v', 'user', '', multimodal(image('sediment://file_9999'))),
    node('p', 'w', 'tool', '', {
      content: { content_type: 'execution_output', text: 'Drawn' },
      metadata: { aggregate_result: { messages: [{ message_type: 'image', image_url: 'file-service://file-Plot' }] } },
    }),
  ];
  const path = await zip({
    'x/conversations.json': [chat(nodes)],
    'x/conversation_asset_file_names.json': { 'file_0002.dat': 'audio/voice.wav' },
    'x/file-Abc1-beach (1).png': Buffer.from('image'),
    'x/file_00ff.dat': Buffer.from('document'),
    'x/dalle-generations/file_0001-1234.webp': Buffer.from('made'),
    'x/file_0002.dat': Buffer.from('sound'),
    'x/user-1/file-Plot.png': Buffer.from('plot'),
  });
  const { conversations, leftOut } = await read(path);
  expect(filesIn(conversations[0] as ImportedConversation)).toEqual([
    'u: beach.png (x/file-Abc1-beach (1).png),plan.pdf (x/file_00ff.dat)',
    't: 1234.webp (x/dalle-generations/file_0001-1234.webp)',
    'v: voice.wav (x/file_0002.dat)',
    'w: ',
    'p: file-Plot.png (x/user-1/file-Plot.png)',
  ]);
  expect(conversations[0]?.messages.map(({ role, text }) => [role, text])).toEqual([
    ['user', 'Look'],
    ['assistant', ''],
    ['user', ''],
    ['user', '[A file that was not imported]'],
    ['assistant', ''],
  ]);
  expect(leftOut).toEqual({ files: 1, tool_steps: 1 });
});

test('reads an archive of ChatGPT in parts, with ratings', async () => {
  const first = chat([node('u', null, 'user', 'One'), node('a', 'u', 'assistant', 'Two')]);
  const second = chat([node('u', null, 'user', 'Three')], { conversation_id: 'c2' });
  const path = await zip({
    'export/conversations-000.json': [first],
    'export/conversations-001.json': [second],
    'export/message_feedback.json': [{ id: 'a', conversation_id: 'c1', rating: 'thumbs_down' }],
    'export/user.json': { id: 'user-1' },
    '__MACOSX/export/._conversations-000.json': Buffer.from('junk'),
  });
  const { conversations } = await read(path);
  expect(conversations.map(({ sourceId }) => sourceId)).toEqual(['c1', 'c2']);
  expect(conversations[0]?.messages[1]?.rating).toEqual({ value: 'bad', correction: null });
});

test('reads messages, pasted texts and branches of Claude', async () => {
  const sentinel = '00000000-0000-4000-8000-000000000000';
  const message = (uuid: string, parent: string, sender: string, text: string, more: object = {}) => ({
    uuid,
    parent_message_uuid: parent,
    sender,
    created_at: '2025-03-01T10:00:00.123456Z',
    text: 'This block is not supported',
    content: [{ type: 'text', text }],
    attachments: [],
    files: [],
    ...more,
  });
  const { conversation, leftOut } = await only({
    uuid: 'k1',
    name: '',
    created_at: '2025-03-01T10:00:00Z',
    updated_at: '2025-03-02T10:00:00Z',
    chat_messages: [
      message('1', sentinel, 'human', 'Summarize', {
        attachments: [{ file_name: 'paste.txt', extracted_content: 'Long text' }],
        files: [{ file_name: 'photo.png' }],
      }),
      message('2', '1', 'assistant', '', {
        content: [
          { type: 'thinking', thinking: 'Hm' },
          { type: 'tool_use', name: 'x' },
          { type: 'text', text: 'Short' },
        ],
      }),
      message('3', '1', 'assistant', 'Shorter'),
    ],
  });
  expect(lines(conversation)).toEqual([
    '1 < - user: Summarize\n\npaste.txt:\n\nLong text',
    '2 < 1 assistant: Short',
    '3 < 1 assistant: Shorter',
  ]);
  expect(conversation).toMatchObject({ source: 'claude', title: null, messages: [{}, { reasoning: 'Hm' }, {}] });
  expect(conversation.messages[0]?.createdAt).toBe('2025-03-01T10:00:00.123Z');
  expect(leftOut).toEqual({ files: 1, tool_steps: 1 });
});

test('reads trees and lists of LibreChat', async () => {
  const leaf = { messageId: 'l2', isCreatedByUser: false, model: 'm1', text: 'Hi', feedback: { rating: 'thumbsUp' } };
  const root = { messageId: 'l1', parentMessageId: '0', isCreatedByUser: true, text: 'Hello', createdAt: '2024-05-01' };
  const value = { conversationId: 'x', title: 'Tree', options: { model: 'm0' }, recursive: true };
  const tree = await read(json({ ...value, messages: [{ ...root, children: [leaf] }] }));
  const list = await read(json({ ...value, messages: [root, { ...leaf, parentMessageId: 'l1' }] }));
  const [fromTree, fromList] = [tree.conversations[0], list.conversations[0]];
  expect(fromTree).toEqual(fromList);
  expect(fromTree?.messages).toMatchObject([
    { role: 'user', text: 'Hello', model: null, parent: null, createdAt: '2024-05-01T00:00:00.000Z' },
    { role: 'assistant', text: 'Hi', model: 'm1', parent: 'l1', rating: { value: 'good' } },
  ]);
});

test('reads chats, reasoning and ratings of Open WebUI', async () => {
  const answer = '<details type="reasoning" done="true"><summary>Thought</summary>\n&gt; 1 &lt; 2\n</details>\nYes';
  const { conversation } = await only({
    id: 'w',
    title: 'Sum',
    pinned: true,
    created_at: 1_700_000_000,
    updated_at: 1_700_000_010_000,
    chat: {
      history: {
        currentId: 'b',
        messages: {
          a: { id: 'a', parentId: null, role: 'user', content: 'Is it?', timestamp: '1700000000' },
          b: { id: 'b', parentId: 'a', role: 'assistant', content: answer, model: 'r1', annotation: { rating: -1 } },
        },
      },
    },
  });
  expect(conversation).toMatchObject({
    source: 'open-webui',
    pinned: true,
    head: 'b',
    updatedAt: '2023-11-14T22:13:30.000Z',
    messages: [
      { text: 'Is it?', createdAt: '2023-11-14T22:13:20.000Z' },
      { text: 'Yes', reasoning: '1 < 2', model: 'r1', rating: { value: 'bad', correction: null } },
    ],
  });
});

test('reads conversations of another Roster', async () => {
  const path = await zip({
    'conversations/7.json': {
      format: 'roster.conversation',
      version: 1,
      thread: { title: 'Plan', createdAt: '2026-01-02T03:04:05.000Z', updatedAt: '2026-01-03T00:00:00.000Z' },
      messages: [
        { id: 5, parentId: null, role: 'user', text: 'Q', createdAt: '2026-01-02T03:04:06.000Z' },
        {
          id: 6,
          parentId: 5,
          role: 'assistant',
          text: 'A',
          reasoning: 'R',
          model: 'gpt-5',
          rating: { value: null, correction: 'B' },
          files: [{ filename: 'x' }],
        },
      ],
    },
    'assistants.json': { format: 'roster.assistants' },
  });
  const { conversations, leftOut } = await read(path);
  expect(conversations).toMatchObject([
    {
      source: 'roster',
      title: 'Plan',
      messages: [
        { text: 'Q' },
        { text: 'A', reasoning: 'R', model: 'gpt-5', rating: { value: null, correction: 'B' } },
      ],
    },
  ]);
  expect(leftOut).toEqual({ files: 1 });
});

test.each([
  ['cycles', [node('a', 'b', 'user', 'A'), node('b', 'a', 'assistant', 'B')], ['a', 'b']],
  ['a message that is its own parent', [node('a', 'a', 'user', 'A')], ['a']],
  ['deleted parents', [node('a', 'gone', 'user', 'A'), node('b', 'a', 'assistant', 'B')], ['a', 'b']],
  ['several roots', [node('a', null, 'user', 'A'), node('b', null, 'user', 'B')], ['a', 'b']],
])('keeps all messages of %s', async (_what, nodes, ids) => {
  const { conversation } = await only(chat(nodes));
  expect(conversation.messages.map(({ sourceId }) => sourceId)).toEqual(ids);
  expect(conversation.messages[0]?.parent).toBeNull();
});

test('cleans texts that databases do not store', async () => {
  const { conversation } = await only(chat([node('a', null, 'user', 'x\ud800y\0z')], { title: ' \u202eA\n b ' }));
  expect(conversation.messages[0]?.text).toBe('x\ufffdyz');
  expect(conversation.title).toBe('A b');
});

test('tells unreadable and empty conversations from others', async () => {
  const { conversations, leftOut } = await read(
    json([null, 7, { title: 'x' }, chat([]), chat([node('a', null, 'user', 'A')])]),
  );
  expect(conversations).toHaveLength(1);
  expect(leftOut).toEqual({ unreadable_conversations: 3, empty_conversations: 1 });
});

const failure = (path: string) =>
  read(path).then(
    () => 'read',
    (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : 'no error'),
  );

test('says what is wrong with a file', async () => {
  const whole = JSON.stringify([chat([node('a', null, 'user', 'A')])]);
  expect(await failure(json('%PDF-1.7'))).toContain('not an export');
  expect(await failure(json({ hello: 'world' }))).toContain('not an export');
  expect(await failure(json([]))).toContain('contains no conversations');
  expect(await failure(json(whole.slice(0, -10)))).toContain('incomplete');
  expect(await failure(json('[{"a":1,}]'))).toContain('damaged');
  expect(await failure(json(`[${'['.repeat(2_000)}${']'.repeat(2_000)}]`))).toContain('damaged');
});

test('says what is wrong with an archive', async () => {
  const whole = readFileSync(await zip({ 'conversations.json': [chat([node('a', null, 'user', 'A')])] }));
  expect(await failure(json(whole.subarray(0, whole.length - 30)))).toContain('damaged or incomplete');
  const outside = Buffer.from(
    whole.toString('latin1').replaceAll('conversations.json', '../versations.json'),
    'latin1',
  );
  expect(await failure(json(outside))).toContain('outside of itself');
  expect(await failure(await zip({ 'readme.json': { a: 1 } }))).toContain('not an export');
  const bomb = await zip({ 'conversations.json': Buffer.alloc(60 * 1024 * 1024, ' ') });
  expect(await failure(bomb)).toContain('far more than an export');
  const locked = Buffer.from(whole);
  const central = locked.indexOf(Buffer.from('PK\x01\x02'));
  locked.writeUInt16LE(locked.readUInt16LE(central + 8) | 1, central + 8);
  expect(await failure(json(locked))).toContain('password');
});

const roles = ['user', 'assistant', 'tool', 'system'];

test('loses no visible message of generated trees, whatever else they contain', async () => {
  const random = seeded('trees');
  const below = (count: number) => Math.floor(random() * count);
  for (let round = 0; round < 200; round++) {
    const count = 1 + below(30);
    const nodes = Array.from({ length: count }, (_, at) => {
      const role = roles[below(5)] ?? 'user';
      const parent = random() < 0.1 ? null : random() < 0.1 ? 'gone' : `n${below(count)}`;
      const one = node(`n${at}`, parent, role, `text ${at}`, { extra: { deep: [at] }, create_time: below(3) || null });
      return random() < 0.1 ? { ...one, message: null as never } : { ...one, unknown: at };
    });
    const visible = nodes
      .filter(({ message }) => message && ['user', 'assistant'].includes(message.author.role))
      .map(({ id }) => id);
    const { conversations } = await read(
      json([chat(nodes, { future: { x: 1 } }), chat([node('z', null, 'user', 'Z')])]),
    );
    const found = conversations.find(({ messages }) => messages[0]?.sourceId !== 'z');
    const ids = found?.messages.map(({ sourceId }) => sourceId) ?? [];
    expect(ids.toSorted()).toEqual(visible.toSorted());
    for (const [at, { parent }] of (found?.messages ?? []).entries())
      if (parent !== null) expect(ids.slice(0, at)).toContain(parent);
  }
});

test('finds values wherever a text is cut into chunks', async () => {
  const values = [{ a: '],{"\\' }, ['x', [1, { b: '"' }]], 'é😀', 7, null, {}];
  const text = Buffer.from(`\ufeff \n[ ${values.map((value) => JSON.stringify(value)).join(' , ')} ] \n`);
  for (let size = 3; size < 12; size++) {
    async function* chunks() {
      for (let at = 0; at < text.length; at += size) yield text.subarray(at, at + size);
    }
    const found: unknown[] = [];
    for await (const value of jsonValues(chunks())) found.push(value);
    expect(found).toEqual(values);
  }
});
