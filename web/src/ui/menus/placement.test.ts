import { describe, expect, test } from 'vitest';
import { mirrorPlacement, placeBeside } from './placement.ts';

const window = { width: 1000, height: 800 };
const size = { width: 200, height: 100 };
const anchor = { left: 400, top: 300, width: 40, height: 40 };

describe('placing a box', () => {
  test('uses the wanted side', () => {
    expect(placeBeside(anchor, size, window, { side: 'bottom', align: 'end', gap: 6 })).toEqual({
      left: 240,
      top: 346,
    });
    expect(placeBeside(anchor, size, window, { side: 'top', align: 'center', gap: 6 })).toEqual({
      left: 320,
      top: 194,
    });
    expect(placeBeside(anchor, size, window, { side: 'right', align: 'start', gap: 6 })).toEqual({
      left: 446,
      top: 300,
    });
  });

  test('uses the opposite side if only that has room', () =>
    expect(placeBeside({ ...anchor, top: 740 }, size, window, { side: 'bottom', align: 'start', gap: 6 }).top).toBe(
      634,
    ));

  test('stays inside the window', () => {
    expect(placeBeside({ ...anchor, left: 4 }, size, window, { side: 'bottom', align: 'end', gap: 6 }).left).toBe(8);
    expect(placeBeside({ ...anchor, left: 960 }, size, window, { side: 'bottom', align: 'start', gap: 6 }).left).toBe(
      792,
    );
  });

  test('mirrors the side on a right-to-left page', () => {
    expect(mirrorPlacement({ side: 'right', align: 'start', gap: 6 })).toEqual({
      side: 'left',
      align: 'start',
      gap: 6,
    });
    expect(mirrorPlacement({ side: 'bottom', align: 'end', gap: 6 })).toEqual({
      side: 'bottom',
      align: 'start',
      gap: 6,
    });
    expect(mirrorPlacement({ side: 'top', align: 'center', gap: 6 })).toEqual({ side: 'top', align: 'center', gap: 6 });
  });
});
