import { existsSync } from 'node:fs';
import { chromium, type Page } from '@playwright/test';
import { createSimulator } from '../simulator/src/simulator.ts';
import { median, printTable, verdict } from './figures.ts';
import { post, preparePeople, startRoster, temporaryFolder } from './roster.ts';
import { settings } from './settings.ts';

/** How much the browser's CPU is slowed down. */
const slowdown = 4;
const aimMs = 100;
const tokenDelayMs = 10;
/** The messages, and the simulator's kind of answer. */
const questions = {
  'an answer with code': 'Show code, a program with a script',
  'code, a table, lists and formulas': 'Show code, a table, a checklist and math',
  'a long essay': 'Write a long, detailed essay [[tokens 1500]]',
};

type Task = { startTime: number; duration: number };

/** Records every task above 50 ms, the browser's definition of a long task. */
function observeTasks(page: Page) {
  return page.addInitScript(() => {
    const tasks: { startTime: number; duration: number }[] = [];
    Reflect.set(window, '__tasks', tasks);
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) tasks.push({ startTime, duration });
    }).observe({ type: 'longtask' });
  });
}

const now = (page: Page) => page.evaluate(() => performance.now());
const tasksSince = (page: Page, from: number): Promise<Task[]> =>
  page.evaluate((begin) => {
    const tasks: Task[] = Reflect.get(window, '__tasks');
    return tasks.filter(({ startTime }) => startTime >= begin);
  }, from);

/** The tasks from sending a question until its answer is complete. */
async function tasksOf(page: Page, question: string): Promise<number[]> {
  const message = page.getByRole('textbox', { name: 'Message', exact: true });
  const answers = page.getByRole('button', { name: 'Copy answer' });
  const before = await answers.count();
  await message.fill(question);
  await page.waitForTimeout(1_000);
  const from = await now(page);
  await message.press('Enter');
  await answers.nth(before).waitFor({ timeout: 180_000 });
  await page.waitForTimeout(1_000);
  return (await tasksSince(page, from)).map(({ duration }) => duration);
}

/** Measures the longest task of the page while answers are generated, in Chromium on a CPU four times slower. */
export async function measureLongTasks(): Promise<{ faults: string[] }> {
  console.log(`\nLong tasks while an answer is written, processor slowed ${slowdown} times`);
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) {
    console.log(`Not measured: there is no Chromium at ${executablePath}.`);
    return { faults: [] };
  }
  const simulator = createSimulator({ tokenDelayMs });
  const provider = await simulator.listen();
  const roster = await startRoster(temporaryFolder(), Number(new URL(provider.url).port));
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  const measured = Object.entries(questions).map(([name, question]) => ({ name, question, runs: [] as number[][] }));
  try {
    const [person] = await preparePeople(roster.port, 1);
    if (!person) throw new Error('There is nobody to ask');
    const url = `http://localhost:${roster.port}`;
    for (let run = 0; run < settings.runs; run++)
      for (const { question, runs } of measured) {
        const { id } = await post<{ id: number }>(roster.port, '/api/threads', person.headers, {
          title: 'Measured',
          assistantId: person.assistantId,
        });
        const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
        const [cookieName = '', value = ''] = (person.headers.cookie ?? '').split('=');
        await context.addCookies([{ name: cookieName, value, url }]);
        const page = await context.newPage();
        await observeTasks(page);
        const session = await context.newCDPSession(page);
        await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
        await page.goto(`${url}/chat/${id}`);
        runs.push(await tasksOf(page, question));
        await context.close();
      }
  } finally {
    await browser.close();
    await roster.program.stop();
    await simulator.close();
  }
  printTable(
    `Longest task, aim ${aimMs} ms`,
    ['', 'longest', `above ${aimMs} ms`, 'aim'],
    measured.map(({ name, runs }) => {
      const longest = median(runs.map((durations) => Math.max(0, ...durations)));
      const above = median(runs.map((durations) => durations.filter((duration) => duration > aimMs).length));
      return [name, `${longest.toFixed(0)} ms`, String(above), verdict(longest, aimMs)];
    }),
  );
  return { faults: [] };
}
