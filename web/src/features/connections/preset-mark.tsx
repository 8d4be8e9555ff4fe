import type { PresetId } from '@roster/contracts/connections/connections';

type Mark = { text: string; hue: number };

/** Initials on a tint of our own, because the providers' logos are theirs. */
const marks: Record<PresetId, Mark> = {
  openai: { text: 'OA', hue: 165 },
  azure: { text: 'Az', hue: 235 },
  openrouter: { text: 'OR', hue: 275 },
  anthropic: { text: 'An', hue: 45 },
  gemini: { text: 'Ge', hue: 260 },
  mistral: { text: 'Mi', hue: 60 },
  deepseek: { text: 'DS', hue: 250 },
  groq: { text: 'Gq', hue: 30 },
  xai: { text: 'x', hue: 200 },
  together: { text: 'To', hue: 320 },
  fireworks: { text: 'Fw', hue: 300 },
  perplexity: { text: 'Px', hue: 190 },
  ollama: { text: 'Ol', hue: 110 },
  'lm-studio': { text: 'LM', hue: 285 },
  'llama-cpp': { text: 'll', hue: 20 },
  other: { text: '⋯', hue: 220 },
};

/** A decoration beside the name. */
export function PresetMark({ preset }: { preset: PresetId }) {
  const { text, hue } = marks[preset];
  return (
    <svg aria-hidden="true" viewBox="0 0 32 32" width="32" height="32" className="shrink-0">
      <rect width="32" height="32" rx="8" fill={`oklch(0.52 0.11 ${hue})`} />
      <text
        x="16"
        y="16.5"
        textAnchor="middle"
        dominantBaseline="central"
        fill="white"
        fontSize="14"
        fontWeight="600"
        fontFamily="inherit"
      >
        {text}
      </text>
    </svg>
  );
}
