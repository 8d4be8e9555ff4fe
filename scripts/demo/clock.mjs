// A preloaded clock: `node --import ./scripts/demo/clock.mjs PROGRAM` runs the program at the time that its parent says.
//
// The demo shows sixty days of use. Dates come from the server, and no call accepts one, because a date that a client
// chooses would make costs, versions and the security log worthless. An import accepts dates of conversations only:
// costs, approvals, versions and jobs would be missing. So the demo does what an operator would do with the clock of the
// machine: it starts the unchanged server and the simulator on a clock of their own, walks through the days, makes
// every call on its day, and then starts both again on the real clock. The product contains nothing for it.
const RealDate = Date;
let ahead = Date.parse(process.env.DEMO_CLOCK ?? '') - RealDate.now();
if (Number.isNaN(ahead)) throw new Error('DEMO_CLOCK must be a time');

const now = () => RealDate.now() + ahead;
globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

// Only the process that started this one can send to it.
process.on('message', (time) => {
  ahead = time - RealDate.now();
  process.send(time);
});
process.channel?.unref();
