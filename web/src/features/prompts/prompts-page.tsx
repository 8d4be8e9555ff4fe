import { Download, Ellipsis, Plus, Upload } from 'lucide-react';
import { useState } from 'react';
import { promptExportAddress } from '#web/api/prompts.ts';
import { saveFrom } from '#web/lib/download.ts';
import { lazyPart } from '#web/lib/lazy.ts';
import { Button } from '#web/ui/button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Kbd } from '#web/ui/kbd.tsx';
import { Menu, MenuItem } from '#web/ui/menus/menu.tsx';
import { Page } from '#web/ui/page.tsx';
import { PromptList } from './prompt-list.tsx';

const CreatePromptDialog = lazyPart(async () => (await import('./edit-prompt-dialog.tsx')).CreatePromptDialog);
const EditPromptDialog = lazyPart(async () => (await import('./edit-prompt-dialog.tsx')).EditPromptDialog);
const ImportDialog = lazyPart(async () => (await import('./import-dialog.tsx')).ImportDialog);

/** An id: the prompt that is edited. */
type Open = 'create' | 'import' | number | null;

/** The user's saved prompts. */
export function PromptsPage() {
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <Page
      title="Prompts"
      lead={
        <>
          Texts you use again, with variables for what changes. Type <Kbd>/</Kbd> in a message to insert one.
        </>
      }
      action={
        <>
          <Menu trigger={<IconButton label="Import and export" icon={Ellipsis} variant="secondary" />}>
            <MenuItem icon={Upload} onSelect={() => setOpen('import')}>
              Import
            </MenuItem>
            <MenuItem icon={Download} onSelect={() => saveFrom(promptExportAddress)}>
              Export All
            </MenuItem>
          </Menu>
          <Button variant="primary" icon={Plus} onClick={() => setOpen('create')}>
            New Prompt
          </Button>
        </>
      }
    >
      <PromptList onCreate={() => setOpen('create')} onImport={() => setOpen('import')} onEdit={setOpen} />
      {open === 'create' && <CreatePromptDialog onClose={close} />}
      {open === 'import' && <ImportDialog onClose={close} />}
      {typeof open === 'number' && <EditPromptDialog id={open} onClose={close} />}
    </Page>
  );
}
