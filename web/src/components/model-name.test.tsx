import { models } from '@roster/contracts/models/models';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { modelName, programModelName, rememberConnections } from '#web/api/model-names.ts';
import { answer } from '#web/testing/answers.ts';
import { connection, model, modelList } from '#web/testing/new-account.ts';
import { expectTexts } from '#web/testing/page.ts';
import { ModelName } from './model-name.tsx';

const home = connection(7, 'Home', model('@7/llama3.2'));

test('names the connection only where there is more than one, and never shows the reference', async () => {
  answer(models.list, { ...modelList(model('gpt-4o')), connections: [home] });
  const place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place);
  root.render(
    <QueryClientProvider client={new QueryClient()}>
      {['gpt-4o', '@7/llama3.2', '@9/qwen/qwen3'].map((id) => (
        <li key={id}>
          <ModelName model={id} />
        </li>
      ))}
    </QueryClientProvider>,
  );
  const shown = page.getByRole('listitem');
  await expectTexts(shown, ['gpt-4o', 'llama3.2 (Home)', 'qwen/qwen3']);
  rememberConnections({ ...modelList(), connections: [home] });
  await expectTexts(shown, ['gpt-4o', 'llama3.2', 'qwen/qwen3']);
  expect([modelName('@7/llama3.2'), programModelName('@7/llama3.2')]).toEqual(['llama3.2', 'Home/llama3.2']);
  root.unmount();
  place.remove();
});
