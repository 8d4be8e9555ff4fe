import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { environment, node, root } from '../install.mjs';

/** CPU seconds of all ended child programs, with their children. Linux only; elsewhere 0. */
function secondsOfEnded() {
  if (process.platform !== 'linux') return 0;
  const text = readFileSync('/proc/self/stat', 'utf8');
  // After the name, which may contain anything; user and kernel time of children, in hundredths.
  const [inUser, inKernel] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15);
  return (Number(inUser) + Number(inKernel)) / 100;
}
let counted = 0;

/** Runs a program to its end. Its output goes to `onPrinted`, or straight to the terminal. */
function run(args, { cwd = '.', env = {} }, onPrinted, onUsed) {
  return new Promise((resolve) => {
    const stdio = onPrinted ? ['ignore', 'pipe', 'pipe'] : 'inherit';
    const child = spawn(node, args, { cwd: join(root, cwd), env: { ...environment(), ...env }, stdio });
    if (onPrinted) for (const stream of [child.stdout, child.stderr]) stream.on('data', onPrinted);
    // No other program has ended since, so the increase belongs to this one.
    child.on('exit', () => {
      const ended = secondsOfEnded();
      onUsed(ended - counted);
      counted = ended;
    });
    child.on('close', (code) => resolve(code === 0));
  });
}

/** A line for each failed test; for a check without tests, or an error outside of them, the lines with the reason. */
function failureLines(start, name, tests = [], printed = []) {
  if (tests.length > 0) return tests.map((test) => start + test);
  const complaints = complaintsIn(printed);
  return complaints.length > 0 ? complaints.map((line) => `${start}${name} › ${line}`) : [start + name];
}

const mostComplaints = 50;
const complaintLength = 200;

/**
 * The lines of a failed program's output that say what failed: those that start with a file or are an error message,
 * otherwise the last three.
 */
function complaintsIn(printed) {
  const lines = stripVTControlCharacters(Buffer.concat(printed).toString()).split(/\r?\n/);
  const said = lines.map((line) => line.replaceAll(/[━⎯]+/g, '').trimEnd()).filter((line) => line !== '');
  const complaints = said.filter((line) => /^(?:[\w@./-]+\.\w+[:( ]|\w*Error: |This error originated in )/.test(line));
  const chosen = complaints.length > 0 ? complaints.slice(0, mostComplaints) : said.slice(-3);
  return chosen.map((line) => line.trim().slice(0, complaintLength));
}

/** Performs one check. Shows its output as it comes or, if it is one of many, only if it failed. */
async function perform(step, { name, run: work }, rest, { isLive, isQuiet }) {
  const started = performance.now();
  const printed = [];
  const onPrinted = (chunk) => {
    printed.push(chunk);
    if (isLive) process.stdout.write(chunk);
  };
  const heading = `\n── ${name} ${'─'.repeat(Math.max(3, 60 - name.length))}\n`;
  if (isLive && !isQuiet) process.stdout.write(heading);
  // Running; the next line replaces this one.
  else if (process.stdout.isTTY) process.stdout.write(`   ${name} …\r`);
  let processor = 0;
  const onUsed = (seconds) => {
    processor += seconds;
  };
  const program = (args, options = {}) => run(args, options, isLive && !isQuiet ? undefined : onPrinted, onUsed);
  const outcome = await work({ rest, program, isQuiet });
  const { passed, failed, absent = [], files = [], flaky = [] } = outcome;
  const seconds = (performance.now() - started) / 1000;
  if (!isLive && failed > 0) process.stdout.write(Buffer.concat([Buffer.from(heading), ...printed]));
  if (absent.length === 0 || passed + failed > 0)
    console.log(`── ${name}: ${passed} passed, ${failed} failed, ${seconds.toFixed(1)} s`);
  const failures = failed > 0 ? failureLines(`Failed: ${step} › `, name, outcome.names, printed) : [];
  return { passed, failed, seconds, processor, failures, absent, files, flaky };
}

/**
 * Performs the checks of these steps and returns an outcome for each check, with the name of its step.
 *
 * As many run side by side as there are cores: first the longest, so that none runs alone at the end. Steps that need the
 * machine for themselves follow, one after the other.
 */
export async function performAll(steps, rest) {
  const outcomes = [];
  const isAlone = ({ alone, isShared }) => alone && !isShared;
  const waiting = steps
    .filter((step) => !isAlone(step))
    .flatMap((step) => step.checks.map((check) => ({ step, check })))
    .toSorted((one, other) => Number(Boolean(other.step.isLongest)) - Number(Boolean(one.step.isLongest)));
  // A single check is shown completely, with its build; of many only failures, counts and times.
  const isQuiet = steps.flatMap(({ name, checks }) => (name === 'build' ? [] : checks)).length > 1;
  /** Promises of the steps that others need: those wait until it has ended, however it ends. */
  const running = new Map();
  async function lane() {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { step, check } = next;
      const isLive = !isQuiet && step.name !== 'build';
      // Registered at once: the next lane looks for it in the same turn.
      const ending = Promise.resolve(running.get(step.needs)).then(() =>
        perform(step.name, check, rest, { isLive, isQuiet }),
      );
      running.set(step.name, ending);
      outcomes.push({ step: step.name, ...(await ending) });
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, availableParallelism()) }, lane));
  for (const step of steps.filter(isAlone))
    for (const check of step.checks)
      outcomes.push({ step: step.name, ...(await perform(step.name, check, rest, { isLive: true, isQuiet })) });
  const order = steps.map(({ name }) => name);
  return outcomes.toSorted((one, other) => order.indexOf(one.step) - order.indexOf(other.step));
}

const row = (name, ...cells) => console.log(name.padEnd(14) + cells.map((cell) => String(cell).padStart(10)).join(''));

const maxSlowest = 20;

/** The slowest test files, by the clock of this machine, with their tests. */
export function printSlowest(outcomes) {
  const files = outcomes.flatMap((outcome) => outcome.files);
  const slowest = files.toSorted((one, other) => other.milliseconds - one.milliseconds).slice(0, maxSlowest);
  console.log('\n   seconds     tests  file');
  for (const { file, milliseconds, tests } of slowest)
    console.log(`${(milliseconds / 1000).toFixed(1).padStart(10)}${String(tests).padStart(10)}  ${file}`);
}

/**
 * Prints wall-clock and CPU seconds by step (a busy machine affects the latter less), then a line for each failed test,
 * because only the end of a long output may be visible, and as the last line the count. Returns true if all passed.
 */
export function printResults(outcomes, milliseconds) {
  const sum = (of, key) => of.reduce((total, outcome) => total + outcome[key], 0);
  const absent = outcomes.flatMap((outcome) => outcome.absent);
  if (absent.length > 0) console.log(`\nNot run:\n  ${absent.join('\n  ')}`);
  console.log();
  row('step', 'passed', 'failed', 'seconds', 'processor');
  for (const name of new Set(outcomes.map(({ step }) => step))) {
    const of = outcomes.filter(({ step }) => step === name);
    row(name, sum(of, 'passed'), sum(of, 'failed'), sum(of, 'seconds').toFixed(1), sum(of, 'processor').toFixed(1));
  }
  row('by the clock', '', '', (milliseconds / 1000).toFixed(1), sum(outcomes, 'processor').toFixed(1));
  const [passed, failed] = [sum(outcomes, 'passed'), sum(outcomes, 'failed')];
  const flaky = outcomes.flatMap((outcome) => outcome.flaky);
  const named = [...flaky, ...outcomes.flatMap((outcome) => outcome.failures)];
  if (named.length > 0) console.log(`\n${named.join('\n')}`);
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0;
}
