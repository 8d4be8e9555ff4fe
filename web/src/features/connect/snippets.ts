export const snippetNames = ['curl', 'Node', 'Python', 'LangChain'] as const;
export type SnippetName = (typeof snippetNames)[number];

type Snippet = {
  /** Language for highlighting. */
  language: string;
  /** Command that installs dependencies; null if none. */
  install: string | null;
  code: string;
};

const question = 'What is a prime number?';

/** Quotes text for a shell, in single quotes. */
const inShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
/** A JSON string is also valid in JavaScript and Python. */
const quoted = (text: string) => JSON.stringify(text);
/** In single quotes where possible, as is usual in JavaScript. */
const single = (text: string) => (/['\\]/.test(text) ? quoted(text) : `'${text}'`);

/** Environment variables for all snippets, with a placeholder unless the token was created just now. */
export const environment = (baseUrl: string, token = 'rst_…') =>
  `export OPENAI_BASE_URL=${inShell(baseUrl).replace(/^'([\w:/.[\]-]+)'$/, '$1')}\nexport OPENAI_API_KEY=${token}`;

/** Snippets that run as they are: URL and token come from the environment. */
export const snippets = (model: string): Record<SnippetName, Snippet> => ({
  curl: {
    language: 'bash',
    install: null,
    code: `curl -sS --fail-with-body "$OPENAI_BASE_URL/chat/completions" \\
  -H "Authorization: Bearer $OPENAI_API_KEY" -H "Content-Type: application/json" \\
  -d ${inShell(`{"model": ${quoted(model)}, "messages": [{"role": "user", "content": ${quoted(question)}}]}`)}
`,
  },
  Node: {
    language: 'javascript',
    install: 'npm install openai',
    code: `import OpenAI from 'openai';

const client = new OpenAI();
const stream = await client.chat.completions.create({
  model: ${single(model)},
  messages: [{ role: 'user', content: ${single(question)} }],
  stream: true,
});
for await (const part of stream) process.stdout.write(part.choices[0]?.delta.content ?? '');
`,
  },
  Python: {
    language: 'python',
    install: 'pip install openai',
    code: `from openai import OpenAI

client = OpenAI()
answer = client.chat.completions.create(
    model=${quoted(model)},
    messages=[{"role": "user", "content": ${quoted(question)}}],
)
print(answer.choices[0].message.content)
`,
  },
  LangChain: {
    language: 'javascript',
    install: 'npm install @langchain/openai @langchain/core',
    code: `import { ChatOpenAI } from '@langchain/openai';

const model = new ChatOpenAI({
  model: ${single(model)},
  configuration: { baseURL: process.env.OPENAI_BASE_URL },
});
const answer = await model.invoke(${single(question)});
console.log(answer.content);
`,
  },
});
