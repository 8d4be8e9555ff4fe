import { afterEach, describe, expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { open } from '#web/testing/app.tsx';
import { oneAnswer } from '#web/testing/conversations.ts';
import { expectCount, expectText } from '#web/testing/page.ts';

const answers = page.getByRole('article', { name: 'Answer' });
const pictures = answers.getByRole('img', { name: /^Diagram: / });

const show = (...sources: string[]) =>
  open('/chat/1', {
    answers: () =>
      oneAnswer({ text: sources.map((source) => `\`\`\`mermaid\n${source}\n\`\`\``).join('\n\nAnd:\n\n') }),
  });

const images = () => pictures.elements().filter((element) => element instanceof HTMLImageElement);
const markup = (index = 0) => decodeURIComponent(images()[index]?.src ?? '');
const drawn = (count: number) =>
  expect.poll(() => images().filter(({ complete, naturalWidth }) => complete && naturalWidth > 20).length).toBe(count);

const kinds: Record<string, string> = {
  'graph on one line': 'graph TD; A-->B;',
  flowchart: 'flowchart LR\n  a[Start] ---> b{Choice} -->|yes| c --> d\n  b -.-> e & f',
  'shapes of today': 'flowchart LR\n  A@{ shape: cyl, label: "Store" } --> B@{ shape: doc, label: "Paper" }',
  'front matter': '---\ntitle: With a title\n---\nflowchart LR\n  a --> b',
  sequence: 'sequenceDiagram\n  Ann->>Roster: Hello\n  Roster-->>Ann: Hello Ann',
  state: 'stateDiagram-v2\n  [*] --> queued\n  queued --> running\n  running --> [*]',
  class: 'classDiagram\n  Animal <|-- Duck\n  Animal : +int age',
  entities: 'erDiagram\n  CUSTOMER ||--o{ ORDER : places',
  pie: 'pie title Pets\n  "Dogs" : 386\n  "Cats" : 85',
  gantt: 'gantt\n  title Plan\n  dateFormat YYYY-MM-DD\n  section One\n  Task :a1, 2026-01-01, 30d',
  mindmap: 'mindmap\n  root((Roster))\n    People\n    Models',
  timeline: 'timeline\n  title History\n  2025 : Started\n  2026 : Done',
  'git graph': 'gitGraph\n  commit\n  branch develop\n  commit\n  checkout main\n  merge develop',
  journey: 'journey\n  title My day\n  section Work\n    Make tea: 5: Me',
  quadrants: 'quadrantChart\n  x-axis Low --> High\n  y-axis Low --> High\n  A: [0.3, 0.6]',
  'bars and lines': 'xychart-beta\n  x-axis [jan, feb]\n  y-axis "EUR" 0 --> 100\n  bar [50, 60]\n  line [50, 60]',
  sankey: 'sankey-beta\n\nA,B,10\nA,C,5',
};

describe('diagram', () => {
  afterEach(() => {
    delete document.documentElement.dataset.theme;
  });

  test('renders every kind as an image', async () => {
    show(...Object.values(kinds));
    const figures = answers.getByRole('figure');
    await expectCount(figures, Object.keys(kinds).length);
    for (const index of figures.elements().keys()) {
      await expect
        .poll(() => {
          figures.elements()[index]?.scrollIntoView();
          return figures.elements()[index]?.querySelectorAll('img, [role=note]').length;
        })
        .toBe(1);
    }
    expect(
      answers
        .getByRole('note')
        .elements()
        .map((note) => note.textContent),
    ).toEqual([]);
    await drawn(Object.keys(kinds).length);
  });

  test('contains all labels and edges of its source, in any script', async () => {
    show(
      'flowchart LR\n  用户 --> Größe ---> Сервер[Сервер & база]\n  用户 --- x',
      'graph TD\n  a["Wide <b>bold</b>"] --> b',
    );
    await drawn(2);
    for (const word of ['用户', 'Größe', 'Сервер']) expect(markup()).toContain(word);
    expect(markup().match(/class="[^"]*flowchart-link/g)).toHaveLength(3);
  });

  test('shows its source on a click', async () => {
    show('graph LR\n  person -->|asks| roster');
    await drawn(1);
    await answers.getByRole('button', { name: 'Show source' }).click();
    await expect.element(answers.getByText('person -->|asks| roster')).toBeVisible();
    await answers.getByRole('button', { name: 'Show diagram' }).click();
    await expectCount(pictures, 1);
  });

  test('fills the page and zooms', async () => {
    show('graph LR\n  a --> b');
    await drawn(1);
    await answers.getByRole('button', { name: 'Full screen' }).click();
    const large = page.getByRole('dialog', { name: 'Diagram' });
    const width = () => large.getByRole('img').element().clientWidth;
    const before = width();
    await large.getByRole('button', { name: 'Zoom in' }).click();
    await expect.poll(width).toBeGreaterThan(before);
    await large.getByRole('button', { name: 'Fit' }).click();
    await expect.poll(width).toBe(before);
    await large.getByRole('button', { name: 'Close' }).click();
    await expectCount(large, 0);
  });

  test('downloads as SVG and PNG', async () => {
    const saved = vi.spyOn(URL, 'createObjectURL');
    show('graph LR\n  a --> b');
    await drawn(1);
    for (const [name, type] of [
      ['SVG', 'image/svg+xml'],
      ['PNG', 'image/png'],
    ] as const) {
      await answers.getByRole('button', { name: 'Download' }).click();
      await page.getByRole('menuitem', { name }).click();
      await expect
        .poll(() => saved.mock.calls.map(([blob]) => (blob instanceof Blob ? blob.type : '')))
        .toContain(type);
    }
  });

  test('shows the source and the reason if it is invalid', async () => {
    show('graph LR\n  a --> ] b');
    await expectText(answers.getByRole('note'), 'error on line 2');
    await expect.element(answers.getByText('a --> ] b').first()).toBeVisible();
  });

  test('shows the source if it is too long or takes too long', async () => {
    const edges = Array.from({ length: 400 }, (_, index) => `a${index % 30} --> b${index}`).join('\n');
    show(`graph LR\n${'  a --> b\n'.repeat(600)}`, `graph LR\n${edges}`);
    await expectCount(answers.getByRole('note'), 2);
  });

  test('follows the theme', async () => {
    document.documentElement.dataset.theme = 'dark';
    show('graph LR\n  a --> b');
    await drawn(1);
    const dark = markup();
    document.documentElement.dataset.theme = 'light';
    await expect.poll(() => markup()).not.toBe(dark);
  });

  test('runs, loads and links nothing from an untrusted source', async () => {
    const onViolation = vi.fn();
    addEventListener('securitypolicyviolation', onViolation);
    show(
      [
        '%%{init: {"securityLevel": "loose", "themeCSS": "* { background: url(https://attacker.example/css) }"}}%%',
        'flowchart LR',
        `  a["<img src=x onerror='parent.hacked=true'>"] --> b[Click me]`,
        '  click a href "javascript:parent.hacked=true" "Innocent"',
        '  click b call alert("hacked")',
      ].join('\n'),
    );
    await drawn(1);
    expect(markup()).not.toMatch(/onerror=|javascript:|attacker|<script/i);
    const frame = document.querySelector<HTMLIFrameElement>('iframe[title="Draws diagrams"]');
    expect(frame?.sandbox.value).toBe('allow-scripts');
    expect(frame?.contentDocument).toBeNull();
    expect(window).not.toHaveProperty('hacked');
    removeEventListener('securitypolicyviolation', onViolation);
    expect(onViolation).not.toHaveBeenCalled();
  });
});
