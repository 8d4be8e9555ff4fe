import type { FastifyInstance } from 'fastify';
import { invalidRequest, notFound } from '../http/errors.ts';
import { page, pageQuery } from '../http/paging.ts';
import type { World } from '../world.ts';

type ById = { Params: { id: string } };
const PAGES = { usual: 20, most: 100 };

function checkAgentsHeader(header: unknown): void {
  if (typeof header === 'string' && header.includes('agents=v1')) return;
  throw invalidRequest(
    "You must provide the 'OpenAI-Beta' header to access the Agents API. Please try again by setting the header 'OpenAI-Beta: agents=v1'.",
    null,
    'invalid_beta',
  );
}

/** Two lists to import from: assistants as in OpenAI's retired API, and its current agents. Both are read-only. */
export function assistantRoutes(app: FastifyInstance, { settings }: World): void {
  app.get('/assistants', ({ query }) => page(settings.assistants, pageQuery(query, PAGES)));

  app.get<ById>('/assistants/:id', ({ params }) => {
    const assistant = settings.assistants.find((candidate) => candidate.id === params.id);
    if (assistant === undefined) throw notFound(`No assistant found with id '${params.id}'.`);
    return assistant;
  });

  app.get('/agents', ({ headers, query }) => {
    checkAgentsHeader(headers['openai-beta']);
    return page(settings.agents, pageQuery(query, PAGES));
  });

  app.get<ById>('/agents/:id', ({ headers, params }) => {
    checkAgentsHeader(headers['openai-beta']);
    const agent = settings.agents.find((candidate) => candidate.id === params.id);
    if (agent === undefined) throw notFound(`No agent found with id '${params.id}'.`);
    return agent;
  });
}
