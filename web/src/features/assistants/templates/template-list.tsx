import { builtInTools } from '@roster/contracts/assistants/tools';
import { useState } from 'react';
import { AssistantAvatar } from '#web/components/assistant-avatar.tsx';
import { Badge } from '#web/ui/badge.tsx';
import { SearchField } from '#web/ui/forms/search-field.tsx';
import { findTemplates, type Template } from './templates.ts';

const toolNames = { webSearch: 'Web search', codeInterpreter: 'Code', imageGeneration: 'Images' };

/** Templates to start from, searchable by what they do. */
export function TemplateList({ onChoose }: { onChoose: (template: Template) => void }) {
  const [text, setText] = useState('');
  const found = findTemplates(text);
  return (
    <section aria-labelledby="templates">
      <div className="mb-4 flex flex-wrap items-center gap-x-6 gap-y-3">
        <h2 id="templates" className="me-auto font-semibold text-lg">
          Start from a template
        </h2>
        <SearchField
          text={text}
          onSearch={setText}
          label="Search templates"
          placeholder="What should it do?"
          maxLength={100}
          className="w-72 max-sm:w-full"
        />
      </div>
      {found.length === 0 ? (
        <p className="py-8 text-center text-muted-foreground">
          No matching template. Describe it above, or start with an empty form.
        </p>
      ) : (
        <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
          {found.map((template) => (
            <li key={template.id}>
              <button
                type="button"
                onClick={() => onChoose(template)}
                className="flex size-full items-start gap-3 rounded-lg border border-border bg-card p-4 text-start transition-colors duration-120 hover:border-border-strong hover:bg-hover"
              >
                <AssistantAvatar name={template.name} icon={template.icon} color={template.color} />
                <span className="min-w-0 flex-1">
                  <span className="flex flex-wrap items-center gap-1.5">
                    <span className="font-medium">{template.name}</span>
                    {builtInTools
                      .filter((name) => template.tools?.[name] !== undefined)
                      .map((name) => (
                        <Badge key={name}>{toolNames[name]}</Badge>
                      ))}
                  </span>
                  <span className="mt-0.5 block text-muted-foreground text-sm">{template.description}</span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
