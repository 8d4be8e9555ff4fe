import { connect, createServer, type Socket } from 'node:net';

/**
 * A connection to a server of the installation that can be cut: `refuse` as if nothing listens any more, `hang` as if
 * packets are lost. After `open`, what was lost arrives.
 */
export async function startNetworkLink(target: { host: string; port: number }) {
  let mode: 'open' | 'refuse' | 'hang' = 'open';
  const held = new Set<Socket>();
  const pairs = new Set<[Socket, Socket]>();

  function join(near: Socket) {
    const far = connect(target);
    far.on('error', () => near.destroy());
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => {
      near.destroy();
      pairs.delete(pair);
    });
  }

  const server = createServer((near) => {
    near.on('error', () => undefined);
    if (mode === 'refuse') near.destroy();
    else if (mode === 'hang') held.add(near);
    else join(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port }: { port: number } = Object(server.address());

  return {
    port,
    set(wanted: typeof mode) {
      const before = mode;
      mode = wanted;
      for (const [near, far] of pairs)
        if (mode === 'refuse') near.destroy();
        else if (mode === 'hang') {
          near.unpipe(far);
          far.unpipe(near);
        } else if (before === 'hang') near.pipe(far).pipe(near);
      if (mode === 'hang') return;
      for (const near of held) if (!near.destroyed) join(near);
      held.clear();
    },
    /** The number of accepted connections that are left hanging. */
    held: () => held.size,
    async close() {
      for (const [near] of pairs) near.destroy();
      server.close();
    },
  };
}
