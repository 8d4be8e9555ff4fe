import type { DiagramAnswer, DiagramColors, DiagramRequest } from './messages.ts';

/** A drawn diagram: SVG that is only ever shown as an image. */
export type DiagramImage = { svg: string; width: number; height: number };

/** A diagram could not be drawn; the message is shown to the user. */
export class DiagramError extends Error {
  /** A retry may succeed, as after a network failure. */
  readonly isTransient: boolean;
  constructor(message: string, isTransient = false) {
    super(message);
    this.isTransient = isTransient;
  }
}

/**
 * Larger diagrams are unreadable, and drawing them may block the page in browsers that share one thread with the frame.
 */
const longestSource = 20_000;
const mostLines = 500;
const longestPicture = 3_000_000;
const widest = 20_000;
/** Milliseconds to draw a diagram, and to load the frame over a slow line. */
const drawingMs = 15_000;
const loadingMs = 60_000;

type Frame = { element: HTMLIFrameElement; ready: Promise<void> };
let frame: Frame | undefined;
let requests = 0;
/** Diagrams are drawn one at a time. */
let last: Promise<unknown> = Promise.resolve();

const isRecord = (data: unknown): data is Record<string, unknown> => typeof data === 'object' && data !== null;
const isSize = (value: unknown): value is number => typeof value === 'number' && value >= 1 && value <= widest;

/** Messages are validated: the frame has run code from an untrusted diagram. */
function read(data: unknown): DiagramAnswer | null {
  if (!isRecord(data)) return null;
  const { kind, id, svg, width, height, reason } = data;
  if (kind === 'ready') return { kind };
  if (typeof id !== 'number') return null;
  if (kind === 'failed' && typeof reason === 'string') return { kind, id, reason: reason.slice(0, 2_000) };
  if (kind !== 'drawn') return null;
  const isDrawn = typeof svg === 'string' && svg.startsWith('<svg') && svg.length <= longestPicture;
  if (isDrawn && isSize(width) && isSize(height)) return { kind, id, svg, width, height };
  return { kind: 'failed', id, reason: 'It is too large.' };
}

/** Resolves to the first matching answer; on a timeout the frame is removed with whatever runs in it. */
function waitForAnswer<Found>(
  { element }: Pick<Frame, 'element'>,
  take: (answer: DiagramAnswer) => Found | undefined,
  ms: number,
  late: DiagramError,
): Promise<Found> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      removeEventListener('message', listen);
    };
    const timer = setTimeout(() => {
      stop();
      removeFrame();
      reject(late);
    }, ms);
    const listen = ({ source, data }: MessageEvent) => {
      const answer = source !== null && source === element.contentWindow ? read(data) : null;
      const found = answer ? take(answer) : undefined;
      if (found === undefined) return;
      stop();
      resolve(found);
    };
    addEventListener('message', listen);
  });
}

function removeFrame() {
  frame?.element.remove();
  frame = undefined;
}

/** Opens a frame with its own origin, invisible but rendered: text has a size in it, and nothing can be clicked. */
function openFrame(): Frame {
  const element = document.createElement('iframe');
  element.setAttribute('sandbox', 'allow-scripts');
  element.setAttribute('aria-hidden', 'true');
  element.tabIndex = -1;
  element.title = 'Draws diagrams';
  const look = { position: 'fixed', inset: '0', width: '1200px', height: '900px', border: '0' };
  Object.assign(element.style, look, { visibility: 'hidden', pointerEvents: 'none', zIndex: '-1' });
  const isReady = (answer: DiagramAnswer) => answer.kind === 'ready' || undefined;
  const failed = new DiagramError(
    'The diagram renderer could not be loaded. Open the conversation again to retry.',
    true,
  );
  const ready = waitForAnswer({ element }, isReady, loadingMs, failed).then(() => undefined);
  element.src = '/frame/diagrams.html';
  document.body.append(element);
  return { element, ready };
}

async function renderInFrame(source: string, colors: DiagramColors): Promise<DiagramImage> {
  frame ??= openFrame();
  const asked = frame;
  await asked.ready;
  const id = ++requests;
  const answer = waitForAnswer(
    asked,
    (each) => (each.kind !== 'ready' && each.id === id ? each : undefined),
    drawingMs,
    new DiagramError('Rendering timed out.'),
  );
  const request: DiagramRequest = { id, source, colors };
  // An opaque origin cannot be named as target.
  asked.element.contentWindow?.postMessage(request, '*');
  const result = await answer;
  if (result.kind === 'failed') throw new DiagramError(result.reason);
  return { svg: result.svg, width: result.width, height: result.height };
}

/** Draws a diagram; throws `DiagramError` if it cannot. */
export function drawDiagram(source: string, colors: DiagramColors): Promise<DiagramImage> {
  if (source.trim() === '') return Promise.reject(new DiagramError('It is empty.'));
  if (source.length > longestSource || source.split('\n').length > mostLines)
    return Promise.reject(new DiagramError('It is too long.'));
  const drawn = last.then(() => renderInFrame(source, colors));
  last = drawn.catch(() => undefined);
  return drawn;
}

/** A URL of the image. `data:`, not `blob:`: opened on its own it has an opaque origin and so no access to Roster. */
export const imageUrl = ({ svg }: DiagramImage) => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;

/** Rasterizes the image at double resolution, on the background it was drawn for. */
export async function pngOf(picture: DiagramImage, background: string): Promise<Blob> {
  const image = new Image();
  image.src = imageUrl(picture);
  await image.decode();
  const scale = Math.min(2, 8_000 / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(picture.width * scale);
  canvas.height = Math.ceil(picture.height * scale);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('Canvas is not supported');
  context.fillStyle = background;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const made = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!made) throw new Error('The canvas could not be encoded');
  return made;
}
