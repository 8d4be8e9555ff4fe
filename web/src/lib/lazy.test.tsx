import { Component, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { lazyModule, lazyPart } from './lazy.ts';

type GreetingProps = { name: string };
const Greeting = ({ name }: GreetingProps) => <p>Hello, {name}</p>;
const Waiting = ({ name }: GreetingProps) => <p>Waiting for {name}</p>;
const Plain = ({ name }: GreetingProps) => <p>Plain {name}</p>;

class Boundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };
  static getDerivedStateFromError = () => ({ failed: true });
  override render = () => (this.state.failed ? <p>Page failed</p> : this.props.children);
}

const roots: { unmount: () => void }[] = [];
function draw(content: ReactNode) {
  const place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place, { onCaughtError: () => undefined });
  root.render(<Boundary>{content}</Boundary>);
  roots.push({
    unmount() {
      root.unmount();
      place.remove();
    },
  });
}
afterEach(() => {
  for (const root of roots.splice(0)) root.unmount();
});

test('loads a part once, with a substitute until it is there', async () => {
  const gate = Promise.withResolvers<typeof Greeting>();
  const importPart = vi.fn(() => gate.promise);
  const Part = lazyPart(importPart, { pending: Waiting });
  draw(<Part name="Ann" />);
  draw(<Part name="Ben" />);
  await expect.element(page.getByText('Waiting for Ann')).toBeVisible();
  gate.resolve(Greeting);
  await expect.element(page.getByText('Hello, Ann')).toBeVisible();
  await expect.element(page.getByText('Hello, Ben')).toBeVisible();
  await Part.load();
  expect(importPart).toHaveBeenCalledTimes(1);
});

test('draws a part at once when it has been loaded', async () => {
  const seen: string[] = [];
  const Noted = (props: GreetingProps) => {
    seen.push('pending');
    return Waiting(props);
  };
  const Part = lazyPart(async () => Greeting, { pending: Noted });
  await Part.load();
  draw(<Part name="Ann" />);
  await expect.element(page.getByText('Hello, Ann')).toBeVisible();
  expect(seen).toEqual([]);
});

test('draws what replaces a part that cannot be loaded', async () => {
  const Part = lazyPart<GreetingProps>(() => Promise.reject(new Error('No network')), { failed: Plain });
  draw(<Part name="Ann" />);
  await expect.element(page.getByText('Plain Ann')).toBeVisible();
});

test('fails the page if a part without a replacement cannot be loaded', async () => {
  const Part = lazyPart<GreetingProps>(() => Promise.reject(new Error('No network')));
  draw(<Part name="Ann" />);
  await expect.element(page.getByText('Page failed')).toBeVisible();
});

test('tries again after a preload that failed', async () => {
  const importPart = vi.fn(async () => Greeting).mockRejectedValueOnce(new Error('No network'));
  const Part = lazyPart(importPart);
  Part.preload();
  await expect.poll(() => importPart.mock.results.length).toBe(1);
  draw(<Part name="Ann" />);
  await expect.element(page.getByText('Hello, Ann')).toBeVisible();
});

test('fails the page if a module cannot be loaded', async () => {
  const words = lazyModule<{ hello: string }>(() => Promise.reject(new Error('No network')));
  function Page() {
    return <p>{words.use()?.hello ?? 'No words'}</p>;
  }
  draw(<Page />);
  await expect.element(page.getByText('Page failed')).toBeVisible();
});
