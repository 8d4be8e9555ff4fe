import { useEffect, useState } from 'react';
import type { DiagramColors } from './messages.ts';

/** Blends CSS colors to `#rrggbb`, over the page's background. */
function hexOf(context: CanvasRenderingContext2D, ...layers: string[]): string {
  for (const layer of layers) {
    context.fillStyle = layer;
    context.fillRect(0, 0, 1, 1);
  }
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** Current theme colors, including custom ones. */
function diagramColors(): DiagramColors {
  const root = document.documentElement;
  const style = getComputedStyle(root);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const isDark = root.dataset.theme !== 'light';
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) {
    const [background, text] = isDark ? ['#111113', '#ededef'] : ['#ffffff', '#18181b'];
    return { isDark, background, text, line: text, fill: background, border: text };
  }
  const card = color('--card');
  return {
    isDark,
    background: hexOf(context, card),
    text: hexOf(context, card, color('--foreground')),
    line: hexOf(context, card, color('--muted-foreground')),
    fill: hexOf(context, card, `color-mix(in oklab, ${color('--primary')} ${isDark ? 28 : 14}%, ${card})`),
    border: hexOf(context, card, `color-mix(in oklab, ${color('--primary')} 60%, ${card})`),
  };
}

/** Returns the same object until a color changes. */
export function useDiagramColors(): DiagramColors {
  const [colors, setColors] = useState(diagramColors);
  useEffect(() => {
    const observer = new MutationObserver(() => setColors(diagramColors()));
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'style'] });
    return () => observer.disconnect();
  }, []);
  return colors;
}
