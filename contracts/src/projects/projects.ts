import { z } from 'zod';
import { AssistantFile } from '../assistants/assistants.ts';
import { endpoint, Id, NoContent, PathId, positiveInteger, Time } from '../endpoint.ts';
import { modelReferenceLimit } from '../model-text.ts';
import { nameText } from '../text/text.ts';

export const projectsPerUser = 200;
export const projectNameLimit = 80;
export const projectInstructionsLimit = 8_000;
export const projectFileLimit = 100;
/** Conversations that one call moves. */
export const projectMoveLimit = 100;

export const projectColors = ['gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink'] as const;
export const projectIcons = ['folder', 'book', 'briefcase', 'code', 'flask', 'globe', 'heart', 'home', 'star'] as const;

const Name = nameText(projectNameLimit, `Name cannot exceed ${projectNameLimit} characters`, 'Name is required');
const Instructions = z
  .string()
  .max(projectInstructionsLimit, `Instructions cannot exceed ${projectInstructionsLimit} characters`);

const fields = z.strictObject({
  name: Name,
  icon: z.enum(projectIcons),
  color: z.enum(projectColors),
  instructions: Instructions,
  /** Answers in its new conversations. Never both. */
  assistantId: Id.nullable(),
  model: z.string().min(1).max(modelReferenceLimit).nullable(),
});

export const ProjectDraft = z.strictObject({
  name: fields.shape.name,
  icon: fields.shape.icon.default('folder'),
  color: fields.shape.color.default('gray'),
  instructions: fields.shape.instructions.default(''),
  assistantId: fields.shape.assistantId.default(null),
  model: fields.shape.model.default(null),
});
export type ProjectDraft = z.output<typeof ProjectDraft>;

export const Project = z.object({
  id: Id,
  name: z.string(),
  icon: z.enum(projectIcons),
  color: z.enum(projectColors),
  instructions: z.string(),
  assistantId: Id.nullable(),
  model: z.string().nullable(),
  /** Its conversations, those in the archive included. */
  conversations: z.number().int(),
  /** Its files. */
  files: z.number().int(),
  /** null: not archived. */
  archivedAt: Time.nullable(),
  createdAt: Time,
  updatedAt: Time,
});
export type Project = z.output<typeof Project>;

export const ProjectThread = z.object({ id: Id, title: z.string(), archived: z.boolean(), updatedAt: Time });
export type ProjectThread = z.output<typeof ProjectThread>;

/** In the states of an assistant's files. */
export const ProjectFile = AssistantFile;
export type ProjectFile = AssistantFile;

const byId = z.strictObject({ id: PathId });
const ofFile = z.strictObject({ id: PathId, fileId: PathId });

export const projects = {
  list: endpoint({
    method: 'GET',
    path: '/api/projects',
    access: 'user',
    summary: 'Lists all projects by name, at most 200.',
    output: z.object({ items: z.array(Project) }),
  }),
  get: endpoint({
    method: 'GET',
    path: '/api/projects/:id',
    access: 'user',
    summary: 'Returns one project.',
    params: byId,
    output: Project,
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/projects',
    access: 'user',
    summary: 'Creates a project.',
    body: ProjectDraft,
    output: Project,
    status: 201,
  }),
  update: endpoint({
    method: 'PATCH',
    path: '/api/projects/:id',
    access: 'user',
    summary: 'Changes, archives or unarchives a project.',
    params: byId,
    body: z.strictObject({ ...fields.partial().shape, archived: z.boolean().optional() }),
    output: Project,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/projects/:id',
    access: 'user',
    summary: 'Deletes a project. Its conversations are kept or moved to the trash.',
    params: byId,
    query: z.strictObject({ conversations: z.enum(['keep', 'trash']).default('keep') }),
    output: NoContent,
    status: 204,
  }),
  threads: endpoint({
    method: 'GET',
    path: '/api/projects/:id/threads',
    access: 'user',
    summary: 'Lists the conversations of a project, newest first.',
    params: byId,
    query: z.strictObject({
      limit: positiveInteger(100).default(50),
      cursor: z.string().max(200).optional(),
    }),
    output: z.object({ items: z.array(ProjectThread), nextCursor: z.string().nullable() }),
  }),
  files: endpoint({
    method: 'GET',
    path: '/api/projects/:id/files',
    access: 'user',
    summary: 'Lists the knowledge files of a project, in the order they were added.',
    params: byId,
    output: z.array(ProjectFile),
  }),
  addFiles: endpoint({
    method: 'POST',
    path: '/api/projects/:id/files',
    access: 'editor',
    summary: 'Adds files to a project. Files that it has already stay unchanged.',
    params: byId,
    body: z.strictObject({
      fileIds: z
        .array(Id, 'Please select at least one file')
        .min(1, 'Please select at least one file')
        .max(projectFileLimit, `A project can have at most ${projectFileLimit} files`),
    }),
    output: z.array(ProjectFile),
  }),
  removeFile: endpoint({
    method: 'DELETE',
    path: '/api/projects/:id/files/:fileId',
    access: 'editor',
    summary: 'Removes a file from a project. The file itself stays.',
    params: ofFile,
    output: NoContent,
    status: 204,
  }),
  retryFile: endpoint({
    method: 'POST',
    path: '/api/projects/:id/files/:fileId/retry',
    access: 'editor',
    rate: 'uploads',
    summary: 'Indexes a file again after a failure.',
    params: ofFile,
    output: z.array(ProjectFile),
  }),
  move: endpoint({
    method: 'POST',
    path: '/api/projects/move',
    access: 'user',
    summary: 'Moves conversations into a project, or out of one. Returns which were moved and which do not exist.',
    body: z.strictObject({
      ids: z
        .array(Id)
        .min(1, 'Choose at least one conversation')
        .max(projectMoveLimit, `Choose at most ${projectMoveLimit} conversations`),
      /** null: out of their projects. */
      projectId: Id.nullable(),
    }),
    output: z.object({ changed: z.array(Id), missing: z.array(Id) }),
  }),
};
