/*
 * Runs in the frame that draws diagrams (web/diagram-frame.ts), after Mermaid, as a classic script. The frame has
 * an opaque origin and no network access, so a malicious diagram cannot escape.
 *
 * Long: a script cannot import.
 */
(() => {
  type Mermaid = typeof import('mermaid').default;
  type Answer = import('./messages.ts').DiagramAnswer;
  type Colors = import('./messages.ts').DiagramColors;

  const tell = (answer: Answer) => parent.postMessage(answer, '*');

  // Hidden frames get no animation frames.
  window.requestAnimationFrame = (callback) => window.setTimeout(() => callback(performance.now()), 0);
  window.cancelAnimationFrame = (handle) => clearTimeout(handle);

  const hues = [215, 150, 28, 275, 345, 50, 190, 95, 320, 240, 10, 170];
  /** Numbered theme variables, one hue each. */
  const scale = (name: string, colorOf: (hue: number) => string, count = hues.length, first = 0) =>
    Object.fromEntries(hues.slice(0, count).map((hue, index) => [`${name}${index + first}`, colorOf(hue)]));

  /** Colors of categories. Mermaid derives its own from one color; they are nearly black on a dark page. */
  function scalesOf({ isDark, text }: Colors) {
    const soft = (hue: number) => (isDark ? `hsl(${hue}, 38%, 27%)` : `hsl(${hue}, 75%, 90%)`);
    const strong = (hue: number) => (isDark ? `hsl(${hue}, 45%, 42%)` : `hsl(${hue}, 65%, 72%)`);
    return {
      ...scale('cScale', soft),
      ...scale('cScaleLabel', () => text),
      ...scale('cScaleInv', strong),
      ...scale('cScalePeer', strong),
      ...scale('git', strong, 8),
      ...scale('gitBranchLabel', () => text, 8),
      ...scale('pie', strong, 12, 1),
      ...scale('fillType', soft, 8),
      pieSectionTextColor: text,
      noteBkgColor: soft(50),
      noteBorderColor: strong(50),
      noteTextColor: text,
      xyChart: { plotColorPalette: [215, 28, 150, 275, 345].map(strong).join(', ') },
    };
  }

  const settingsOf = (colors: Colors): Parameters<Mermaid['initialize']>[0] => ({
    startOnLoad: false,
    securityLevel: 'strict',
    // Settings that a diagram must not override.
    secure: [
      'secure',
      'securityLevel',
      'startOnLoad',
      'maxTextSize',
      'maxEdges',
      'suppressErrorRendering',
      'dompurifyConfig',
      'htmlLabels',
      'themeCSS',
      'fontFamily',
      'altFontFamily',
    ],
    maxTextSize: 20_000,
    maxEdges: 300,
    suppressErrorRendering: true,
    // Images with HTML labels are not drawn by every program.
    htmlLabels: false,
    fontFamily: 'system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif',
    theme: 'base',
    themeVariables: {
      darkMode: colors.isDark,
      background: colors.background,
      primaryColor: colors.fill,
      primaryTextColor: colors.text,
      primaryBorderColor: colors.border,
      lineColor: colors.line,
      textColor: colors.text,
      titleColor: colors.text,
      edgeLabelBackground: colors.background,
      fontSize: '14px',
      ...scalesOf(colors),
    },
    gantt: { useWidth: 900 },
  });

  /** Serializes the drawing as well-formed SVG with a size. */
  function pictureOf(svg: string, id: number): Answer {
    const room = document.body.appendChild(document.createElement('div'));
    room.innerHTML = svg;
    const drawing = room.querySelector('svg');
    const { width = 0, height = 0 } = drawing?.viewBox.baseVal ?? {};
    if (!drawing || width <= 0 || height <= 0) return { kind: 'failed', id, reason: 'The diagram is empty.' };
    drawing.style.removeProperty('max-width');
    drawing.setAttribute('width', String(width));
    drawing.setAttribute('height', String(height));
    return { kind: 'drawn', id, svg: new XMLSerializer().serializeToString(drawing), width, height };
  }

  const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

  async function draw(id: number, source: string, colors: Colors): Promise<Answer> {
    const { mermaid } = window as Window & { mermaid?: Mermaid };
    if (!mermaid) return { kind: 'failed', id, reason: 'The diagram renderer could not be loaded.' };
    try {
      mermaid.initialize(settingsOf(colors));
      const { svg } = await mermaid.render(`diagram-${id}`, source);
      return pictureOf(svg, id);
    } catch (error) {
      return { kind: 'failed', id, reason: messageOf(error) };
    } finally {
      document.body.replaceChildren();
    }
  }

  addEventListener('message', (event: MessageEvent) => {
    if (event.source !== parent) return;
    const { id, source, colors }: import('./messages.ts').DiagramRequest = event.data;
    void draw(id, source, colors).then(tell);
  });
  tell({ kind: 'ready' });
})();
