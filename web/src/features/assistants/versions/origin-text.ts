import type { VersionOrigin } from '@roster/contracts/assistants/versions';

/** Describes who or what created a version. */
export function originText(origin: VersionOrigin): string {
  switch (origin.kind) {
    case 'person':
      return 'By you';
    case 'program':
      return origin.name === '' ? 'By a program' : `By the program ${origin.name}`;
    case 'import':
      return 'Imported';
    case 'restore':
      return `Version ${origin.number} restored`;
    case 'duplicate':
      return `Copied from ${origin.name}`;
    case 'move':
      return `Moved to ${origin.name}`;
    case 'move_undone':
      return `Move to ${origin.name} undone`;
    case 'before':
      return 'From before there were versions';
  }
}
