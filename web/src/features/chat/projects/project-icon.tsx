import type { Project } from '@roster/contracts/projects/projects';
import {
  BookOpen,
  BriefcaseBusiness,
  Code,
  FlaskConical,
  Folder,
  Globe,
  Heart,
  House,
  type LucideIcon,
  Star,
} from 'lucide-react';
import { classNames } from '#web/ui/class-names.ts';

const icons: Record<Project['icon'], LucideIcon> = {
  folder: Folder,
  book: BookOpen,
  briefcase: BriefcaseBusiness,
  code: Code,
  flask: FlaskConical,
  globe: Globe,
  heart: Heart,
  home: House,
  star: Star,
};

const colorValues: Record<Project['color'], string> = {
  gray: 'var(--muted-foreground)',
  red: 'oklch(0.6 0.2 25)',
  orange: 'oklch(0.66 0.17 50)',
  yellow: 'oklch(0.7 0.15 85)',
  green: 'oklch(0.62 0.16 150)',
  teal: 'oklch(0.62 0.11 195)',
  blue: 'oklch(0.6 0.17 255)',
  purple: 'oklch(0.58 0.19 295)',
  pink: 'oklch(0.62 0.19 350)',
};

type ProjectIconProps = Pick<Project, 'icon' | 'color'>;

/** The icon of a project in its color; the name beside it says which project it is. */
export function ProjectIcon({ icon, color }: ProjectIconProps) {
  const IconPart = icons[icon];
  return (
    <IconPart
      aria-hidden
      style={{ color: `color-mix(in oklab, ${colorValues[color]} 75%, var(--foreground))` }}
      className="size-4 shrink-0"
    />
  );
}

/** The same on a tinted square, for headings and cards. */
export function ProjectTile({ icon, color, className }: ProjectIconProps & { className?: string }) {
  return (
    <span
      aria-hidden
      style={{ backgroundColor: `color-mix(in oklab, ${colorValues[color]} 16%, var(--card))` }}
      className={classNames('inline-flex size-9 shrink-0 items-center justify-center rounded-md', className)}
    >
      <ProjectIcon icon={icon} color={color} />
    </span>
  );
}
