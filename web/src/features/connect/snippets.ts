export const snippetNames = ['curl', 'Node', 'Python', 'LangChain'] as const;
export type SnippetName = (typeof snippetNames)[number];

export type Snippet = {
  /** Of the code, as it is coloured. */
  language: string;
  /** What has to be installed first; null: nothing. */
  install: string | null;
  code: string;
};

const question = 'What is a prime number?';

/** Text in single quotes of a shell, where nothing has a meaning but the quote itself. */
const inShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
/** JSON is a text in JavaScript and in Python too. */
const quoted = (text: string) => JSON.stringify(text);
/** As JavaScript is mostly written. */
const single = (text: string) => (/['\\]/.test(text) ? quoted(text) : `'${text}'`);

/** The lines that every program reads; the token is shown once, where it is made. */
export const environment = (baseUrl: string) =>
  `export OPENAI_BASE_URL=${inShell(baseUrl).replace(/^'([\w:/.[\]-]+)'$/, '$1')}\nexport OPENAI_API_KEY=rst_…`;

/** How a program asks a model or an assistant, with nothing to fill in: address and token come from the environment. */
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
