const day = (ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
const between = (days) => `from=${day(days)}&to=${day(0)}`;

/** The pictures of README and documents: for each, what the page shows when it is taken. */
export const pictures = {
  chat: async (page, { url, read }) => {
    const { items } = await read('/api/threads');
    await page.goto(`${url}/chat/${items.find(({ pinned }) => pinned).id}`);
    await page.locator('.katex').first().waitFor();
    await page.getByRole('table').first().waitFor();
    await page.getByText('How far does a cargo bike go').first().scrollIntoViewIfNeeded();
  },
  approval: async (page, { url, read }) => {
    const { items } = await read('/api/threads');
    await page.goto(`${url}/chat/${items.find(({ waitsForApproval }) => waitsForApproval).id}`);
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor();
  },
  'fine-tuning/01-rate-and-correct': async (page, { url, read }) => {
    const { items } = await read('/api/threads?q=title:Hotline');
    await page.goto(`${url}/chat/${items.at(-1).id}`);
    await page.getByRole('button', { name: 'More actions' }).first().click();
    await page.getByRole('menuitem', { name: 'Improve this answer' }).click();
    const editor = page.getByRole('dialog', { name: 'Improve this answer' });
    await editor.getByRole('textbox', { name: 'Corrected answer' }).fill('Three years, or 500 full cycles.');
  },
  'fine-tuning/02-review': async (page, { url, read }) => {
    const { items } = await read('/api/fine-tuning/datasets');
    await page.goto(`${url}/fine-tuning/datasets/${items[0].id}`);
    await page.getByText('Which tyre pressure').first().click();
    await page.getByText('Example 3 of').waitFor();
  },
  'fine-tuning/03-check': async (page, { url, read }) => {
    const [{ trainingFile, validationFile }] = await read('/api/fine-tuning/jobs');
    const validating = validationFile ? `&validate=${validationFile.id}` : '';
    await page.goto(`${url}/fine-tuning?tab=jobs&train=${trainingFile.id}${validating}`);
    const job = page.getByRole('dialog', { name: 'Create Fine-Tuning Job' });
    await job.getByRole('textbox', { name: 'Name' }).fill('Support answers');
    await job.getByRole('combobox', { name: 'Base model', exact: true }).selectOption('gpt-4.1-mini-2025-04-14');
    await job.getByRole('region', { name: 'File check' }).getByText('$').first().scrollIntoViewIfNeeded();
  },
  'fine-tuning/04-curves': async (page, { url, read }) => {
    const jobs = await read('/api/fine-tuning/jobs');
    await page.goto(`${url}/fine-tuning/jobs/${jobs.find(({ status }) => status === 'succeeded').id}`);
    await page.getByRole('region', { name: 'Curves' }).getByRole('slider').waitFor();
  },
  'fine-tuning/05-compare': async (page, { url, read }) => {
    const { items } = await read('/api/comparisons?kind=models');
    await page.goto(`${url}/fine-tuning/comparisons/${items[0].id}`);
    const prompt = page.getByRole('region', { name: 'Prompt 1', exact: true });
    await prompt.evaluate((region) => region.scrollIntoView({ block: 'center' }));
  },
  'fine-tuning/06-activate': async (page, { url }) => {
    await page.goto(`${url}/fine-tuning?tab=models`);
    await page.getByRole('list', { name: 'Fine-tuned models' }).getByRole('listitem').first().waitFor();
  },
  'fine-tuning/07-assistant': async (page, { url, read }) => {
    const { items } = await read('/api/threads?q=title:trained');
    await page.goto(`${url}/chat/${items[0].id}`);
    await page.getByRole('button', { name: 'Regenerate' }).first().waitFor();
  },
  'fine-tuning/08-cost': async (page, { url }) => {
    await page.goto(`${url}/analytics?${between(59)}`);
    await page.getByText('Show as a table').first().waitFor();
  },
};
