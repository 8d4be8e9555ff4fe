// npm test                       what every change has to pass; needs nothing but Node; the last line is the count
// npm run test:all               also PostgreSQL, all browser tests, crashes, generated input
// npm run test:long              what test:all adds to npm test
// npm test -- --slowest          the same, and the files of tests that took longest; steps may follow
// npm test system                what needs programs from outside
// npm test types lint            only these steps; a name that is none prints the list of them
// npm test server src/http       what follows a step of tests goes to its runner: files or folders ...
// npm test server -- -t 'a key'  ... and behind `--` its options, here: tests with this in their title
// npm test watch server/src/http/limits/rate-limits.test.ts   one file at once, and again at every change
import { install } from './install.mjs';

install();
const { steps, watch } = await import('./test/steps.mjs');
const { performAll, printResults, printSlowest } = await import('./test/perform.mjs');

const words = process.argv.slice(2);
const isSlowestAsked = words[0] === '--slowest';
const [first, ...others] = isSlowestAsked ? words.slice(1) : words;
const named = (name) => steps.find((step) => step.name === name);

function usage(problem) {
  console.error(
    `${problem}\n\n  npm test [step ...] [what goes to the runner of its tests]\n  npm test watch <file>\n`,
  );
  for (const { name, about } of steps) console.error(`  ${name.padEnd(12)} ${about}`);
  process.exit(2);
}

const isUsual = ({ isExtra, isLong }) => !isExtra && !isLong;
const withNeeded = (chosen) => ({
  chosen: steps.filter(({ name }) => chosen.some((step) => step.name === name || step.needs === name)),
  rest: [],
});

/** The steps of these words with those they need, and the words after the last step. */
function asked(words) {
  const count = words.findIndex((word) => !named(word));
  const names = count === -1 ? words : words.slice(0, count);
  const rest = words.slice(names.length);
  const takesMore = names.length === 1 && named(names[0]).alone;
  if (rest.length > 0 && !takesMore) usage(`There is no step ${rest[0]}.`);
  const wanted = new Set(names.flatMap((name) => [name, named(name).needs]));
  return { chosen: steps.filter(({ name }) => wanted.has(name)), rest };
}

if (first === 'watch') {
  if (others.length === 0 || !(await watch(others))) usage('Which file? One of the server, the web or the simulator.');
} else {
  const started = performance.now();
  const whole = { undefined: isUsual, all: (step) => !step.isExtra, long: ({ isLong }) => isLong };
  const { chosen, rest } =
    others.length === 0 && Object.hasOwn(whole, first)
      ? withNeeded(steps.filter(whole[first]))
      : asked([first, ...others]);
  const results = await performAll(chosen, rest);
  if (isSlowestAsked) printSlowest(results);
  process.exit(printResults(results, performance.now() - started) ? 0 : 1);
}
