import { type AssistantTools, type BuiltInTool, builtInTools } from '@roster/contracts/assistants/tools';
import type { ModelList } from '@roster/contracts/models/models';
import type { ReactNode } from 'react';
import { AnswerFormat } from '#web/features/assistants/fields/answer-format.tsx';
import { DescriptionField, NameField } from '#web/features/assistants/fields/assistant-form.tsx';
import { AvatarFields } from '#web/features/assistants/fields/avatar-fields.tsx';
import { EarlierMessagesField } from '#web/features/assistants/fields/earlier-messages-field.tsx';
import { ModelFields } from '#web/features/assistants/fields/model-fields.tsx';
import { StarterField } from '#web/features/assistants/fields/starter-field.tsx';
import { ToolFields } from '#web/features/assistants/fields/tool-fields.tsx';
import type { AssistantForm } from '#web/features/assistants/fields/use-assistant-form.ts';
import { formatCount } from '#web/lib/text/format.ts';
import { InstructionsField } from './instructions-field.tsx';
import { Section } from './section.tsx';
import { TagsField } from './tags-field.tsx';

const toolNames: Record<BuiltInTool, string> = {
  webSearch: 'Web search',
  codeInterpreter: 'Code interpreter',
  imageGeneration: 'Image generation',
};
const toolSummary = (tools: AssistantTools) =>
  builtInTools.flatMap((name) => (tools[name] === undefined ? [] : [toolNames[name]])).join(', ');

function avatarSummary(...parts: (string | null | undefined)[]): string {
  const text = parts.filter(Boolean).join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

type EditorFieldsProps = {
  form: AssistantForm;
  models: ModelList | undefined;
  isLong: boolean;
  onLongChange: (isLong: boolean) => void;
  connectedTools: ReactNode;
  files: ReactNode;
  /** The number of files that a saved assistant has. */
  savedFiles: number;
};

/** The fields, the most important first; the rest folds. */
export function EditorFields(props: EditorFieldsProps) {
  const { form, models, isLong, onLongChange } = props;
  const [starters = [], schema, earlier, icon, color] = form.watch([
    'starters',
    'responseSchema',
    'earlierMessages',
    'icon',
    'color',
  ]);
  const { errors } = form.formState;
  return (
    <div className="grid gap-4">
      <div className="grid gap-5 rounded-lg border border-border bg-card p-4 sm:p-5">
        <NameField form={form} />
        <DescriptionField form={form} />
        <InstructionsField form={form} isLong={isLong} onLongChange={onLongChange} />
        <ModelFields form={form} models={models} />
      </div>
      <ToolsAndFiles {...props} />
      <Section
        title="Conversation starters"
        summary={starters.length === 0 ? 'None' : formatCount(starters.length, 'starter')}
        hasError={errors.starters !== undefined}
      >
        <StarterField form={form} />
      </Section>
      <Section
        title="Answer format"
        summary={schema ? 'JSON schema' : 'Text'}
        hasError={errors.responseSchema !== undefined}
      >
        <AnswerFormat form={form} />
      </Section>
      <Section
        title="Long conversations"
        summary={earlier === 'summarize' ? 'Summarized automatically' : 'Sent in full'}
      >
        <EarlierMessagesField form={form} />
      </Section>
      <Section title="Icon, color and tags" summary={avatarSummary(icon, color)} hasError={errors.tags !== undefined}>
        <div className="grid gap-5">
          <AvatarFields form={form} />
          <TagsField form={form} />
        </div>
      </Section>
    </div>
  );
}

type ToolsAndFilesProps = Pick<EditorFieldsProps, 'form' | 'connectedTools' | 'files' | 'savedFiles'>;

function ToolsAndFiles({ form, connectedTools, files, savedFiles }: ToolsAndFilesProps) {
  const [tools = {}, ownFiles = [], chosenTools = []] = form.watch(['tools', 'files', 'chosenTools']);
  const { errors } = form.formState;
  const fileCount = savedFiles + ownFiles.length;
  const connected = chosenTools.length > 0 ? formatCount(chosenTools.length, 'connected tool') : '';
  return (
    <>
      <Section
        title="Tools"
        summary={[toolSummary(tools), connected].filter((part) => part !== '').join(', ') || 'None'}
        hasError={errors.tools !== undefined || errors.chosenTools !== undefined}
      >
        <ToolFields form={form} />
        {connectedTools}
      </Section>
      <Section
        title="Files"
        summary={fileCount === 0 ? 'None' : formatCount(fileCount, 'file')}
        hasError={errors.files !== undefined}
      >
        {files}
      </Section>
    </>
  );
}
