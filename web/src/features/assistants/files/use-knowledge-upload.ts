import type { File as StoredFile } from '@roster/contracts/files/files';
import { useEffect, useRef, useState } from 'react';
import { uploadLane } from '#web/api/uploads/queue.ts';
import { refusalReason, uploadRules } from '#web/api/uploads/rules.ts';
import { errorText } from '#web/lib/api-client.ts';
import { toastError } from '#web/lib/toast.ts';

type Current = { name: string; percent: number };

/** Uploads files one after another and adds each to the assistant once stored. */
export function useKnowledgeUpload(put: (file: StoredFile) => unknown) {
  const [current, setCurrent] = useState<Current | null>(null);
  const [upload] = useState(uploadLane);
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort();
  }, []);

  const fail = (name: string, description: string) =>
    toastError({ title: 'Upload failed', description: `${name}: ${description}` });

  async function one(file: File, signal: AbortSignal) {
    const problem = refusalReason(file, 'knowledge');
    if (problem !== undefined) return fail(file.name, problem);
    setCurrent({ name: file.name, percent: 0 });
    try {
      const onProgress = (sent: number) =>
        setCurrent({ name: file.name, percent: Math.round((sent / file.size) * 100) });
      await put(await upload({ file, purpose: 'assistants', signal, onProgress }));
    } catch (error) {
      if (!signal.aborted) fail(file.name, errorText(error, uploadRules.knowledge.failed));
    }
  }

  async function begin(files: File[]) {
    const { signal } = leaving.current;
    for (const file of files) if (!signal.aborted) await one(file, signal);
    if (!signal.aborted) setCurrent(null);
  }

  return { current, begin: (files: File[]) => void begin(files) };
}
