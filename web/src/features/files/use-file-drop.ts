import { useEffect, useState } from 'react';
import { toast } from '#web/ui/states/toast.tsx';

const holdsFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false;

/** Dropped files without folders, which browsers cannot send as one file. */
function filesOf({ dataTransfer }: DragEvent): File[] {
  const items = [...(dataTransfer?.items ?? [])].filter(({ kind }) => kind === 'file');
  const files = items.filter((item) => !item.webkitGetAsEntry()?.isDirectory);
  if (files.length < items.length)
    toast({ title: 'Folders are not uploaded', description: 'Open the folder and drop its files instead.' });
  return files.flatMap((item) => item.getAsFile() ?? []);
}

/**
 * Accepts files dropped anywhere in the window; returns true while files are dragged over it. Without `onDrop` it only
 * keeps the browser from opening them.
 */
export function useFileDrop(onDrop: ((files: File[]) => void) | undefined): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = onDrop ? 'copy' : 'none';
      setOver(true);
    };
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      setOver(false);
      const files = onDrop ? filesOf(event) : [];
      if (files.length > 0) onDrop?.(files);
    };
    window.addEventListener('dragover', over);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, [onDrop]);
  return isOver && onDrop !== undefined;
}
