import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidRequest, notFound, ProviderError } from '../http/errors.ts';
import { missing } from '../http/fields.ts';
import { page, pageQuery, queryText } from '../http/paging.ts';
import type { Account, FilePurpose, FileRecord } from '../state/account.ts';
import { newId } from '../state/identifiers.ts';
import type { World } from '../world.ts';

const UPLOAD_PURPOSES: readonly FilePurpose[] = ['assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals'];
const LINES_ONLY: ReadonlySet<FilePurpose> = new Set(['batch', 'fine-tune']);
const NO_DOWNLOAD: ReadonlySet<FilePurpose> = new Set(['assistants', 'user_data']);
const MEGABYTE = 1024 * 1024;

type Upload = { fields: Map<string, string>; filename: string | null; content: Buffer };

async function readUpload(request: FastifyRequest, maxBytes: number): Promise<Upload> {
  if (!request.isMultipart()) {
    throw invalidRequest('Could not parse multipart form. Send the file as multipart/form-data.');
  }
  const upload: Upload = { fields: new Map(), filename: null, content: Buffer.alloc(0) };
  for await (const part of request.parts({ limits: { fileSize: maxBytes } })) {
    if (part.type === 'field') {
      upload.fields.set(part.fieldname, String(part.value));
    } else if (part.fieldname === 'file') {
      upload.filename = part.filename;
      upload.content = await part.toBuffer();
    } else {
      part.file.resume();
    }
  }
  return upload;
}

function checkedPurpose(fields: Map<string, string>): FilePurpose {
  const given = fields.get('purpose');
  if (given === undefined) throw missing('purpose');
  const purpose = UPLOAD_PURPOSES.find((candidate) => candidate === given);
  if (purpose === undefined) {
    const list = UPLOAD_PURPOSES.map((candidate) => `'${candidate}'`).join(', ');
    throw invalidRequest(`'${given}' is not one of [${list}] - 'purpose'`, 'purpose');
  }
  return purpose;
}

function expiryOf(fields: Map<string, string>, now: number): { expires_at?: number } {
  const text = fields.get('expires_after[seconds]');
  if (text === undefined) return {};
  const seconds = Number(text);
  if (!Number.isInteger(seconds) || seconds < 3_600 || seconds > 2_592_000) {
    throw invalidRequest("Invalid 'expires_after[seconds]': expected 3600 to 2592000.", 'expires_after');
  }
  return { expires_at: now + seconds };
}

export function fileOf(account: Account, id: string): FileRecord {
  const file = account.files.find((candidate) => candidate.id === id);
  if (file === undefined) throw notFound(`No such File object: ${id}`, 'id');
  return file;
}

/** Adds a file to the account; for results as well as uploads. */
export async function addFile(
  world: World,
  account: Account,
  file: Omit<FileRecord, 'id' | 'object' | 'bytes' | 'status'>,
  content: Buffer,
): Promise<FileRecord> {
  const record: FileRecord = {
    id: newId('file-'),
    object: 'file',
    bytes: content.length,
    status: 'processed',
    ...file,
  };
  await world.accounts.writeFile(record.id, content);
  account.files.push(record);
  return record;
}

type ById = { Params: { id: string } };

export function fileRoutes(app: FastifyInstance, world: World): void {
  app.post('/files', { bodyLimit: world.settings.maxFileBytes + MEGABYTE }, async (request) => {
    const { account, entry } = request.call;
    const { maxFileBytes } = world.settings;
    const upload = await readUpload(request, maxFileBytes).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'FST_REQ_FILE_TOO_LARGE') {
        const most = `${Math.floor(maxFileBytes / MEGABYTE)} MB`;
        throw new ProviderError(413, { message: `File is too large. The maximum file size is ${most}.` });
      }
      throw error;
    });
    entry.body = { ...Object.fromEntries(upload.fields), filename: upload.filename, bytes: upload.content.length };
    if (upload.filename === null) throw missing('file');
    const purpose = checkedPurpose(upload.fields);
    if (LINES_ONLY.has(purpose) && !upload.filename.toLowerCase().endsWith('.jsonl')) {
      throw invalidRequest(
        `Invalid file format for ${purpose === 'batch' ? 'Batch API' : 'Fine-Tuning API'}. Must be .jsonl`,
        'file',
      );
    }
    if (upload.content.length === 0) throw invalidRequest('File is empty.', 'file');
    const now = world.clock.seconds();
    const { filename } = upload;
    const details = { created_at: now, ...expiryOf(upload.fields, now), filename, purpose };
    const file = await addFile(world, account, details, upload.content);
    await world.accounts.save(account);
    return file;
  });

  app.get('/files', ({ call, query }) => {
    const purpose = queryText(query, 'purpose');
    const files = call.account.files.filter((file) => purpose === undefined || file.purpose === purpose);
    return page(files, pageQuery(query, { usual: 10_000, most: 10_000 }));
  });

  app.get<ById>('/files/:id', ({ call, params }) => fileOf(call.account, params.id));

  app.delete<ById>('/files/:id', async ({ call, params }) => {
    const { account } = call;
    const { id } = fileOf(account, params.id);
    account.files = account.files.filter((file) => file.id !== id);
    for (const store of account.vectorStores) store.files = store.files.filter((entry) => entry.file_id !== id);
    await world.accounts.save(account);
    await world.accounts.removeFile(id);
    return { id, object: 'file', deleted: true };
  });

  app.get<ById>('/files/:id/content', async ({ call, params }, reply) => {
    const file = fileOf(call.account, params.id);
    if (NO_DOWNLOAD.has(file.purpose)) {
      throw invalidRequest(`Not allowed to download files of purpose: ${file.purpose}`);
    }
    const content = await world.accounts.readFile(file.id);
    if (content === null) throw notFound(`No such File object: ${file.id}`, 'id');
    return reply
      .header('content-type', 'application/octet-stream')
      .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(file.filename)}`)
      .send(content);
  });
}
