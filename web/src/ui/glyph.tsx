import {
  BookOpen,
  Bot,
  BriefcaseBusiness,
  ChartColumn,
  Code,
  FlaskConical,
  Globe,
  GraduationCap,
  Heart,
  Languages,
  Lightbulb,
  Mail,
  Music,
  Palette,
  PenLine,
  Scale,
} from 'lucide-react';
import type { Icon } from './icon.ts';

/** Icons that users can choose for an assistant. */
const icons = {
  bot: Bot,
  book: BookOpen,
  briefcase: BriefcaseBusiness,
  chart: ChartColumn,
  code: Code,
  flask: FlaskConical,
  globe: Globe,
  graduation: GraduationCap,
  heart: Heart,
  languages: Languages,
  lightbulb: Lightbulb,
  mail: Mail,
  music: Music,
  palette: Palette,
  pen: PenLine,
  scale: Scale,
} satisfies Record<string, Icon>;

type GlyphName = keyof typeof icons;

export function Glyph({ name }: { name: GlyphName }) {
  const Shown = icons[name];
  return <Shown aria-hidden className="size-[62%]" />;
}
