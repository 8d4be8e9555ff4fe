import type { SecurityEventKind } from '@roster/contracts/account';
import type { AssistantSettings, KnowledgeState } from '@roster/contracts/assistants/assistants';
import type { VersionOrigin } from '@roster/contracts/assistants/versions';
import type { LoginProvider, OpenIdProvider, Role } from '@roster/contracts/auth';
import type { ApprovalDecision, ToolCall } from '@roster/contracts/chat';
import type { ComparisonKind } from '@roster/contracts/comparisons/comparisons';
import type { Outcome } from '@roster/contracts/comparisons/judging';
import type { TestQuestionSource } from '@roster/contracts/comparisons/test-sets';
import type { ConnectionApi, PresetId } from '@roster/contracts/connections/connections';
import type { OfferAudience } from '@roster/contracts/connections/offers';
import type { DatasetExample, DatasetFormat } from '@roster/contracts/fine-tuning/datasets';
import type { JobEvent, JobStatus, TrainingMethod } from '@roster/contracts/fine-tuning/jobs';
import type { ImportSource, ImportState } from '@roster/contracts/imports';
import type { HeldReason } from '@roster/contracts/message-queue';
import type { Project } from '@roster/contracts/projects/projects';
import type { ResponseState } from '@roster/contracts/public-api/responses';
import type { VectorStoreFileError } from '@roster/contracts/public-api/vector-stores';
import type { ToolApproval } from '@roster/contracts/tool-servers/tool-choice';
import type { ToolServer } from '@roster/contracts/tool-servers/tool-servers';
import type { Generated, SelectType } from 'kysely';
import type { Columns } from './columns.ts';
import type { Tables } from './schema.generated.ts';

type Flag = 0 | 1;

/** `device`: a remembered one. `provider`: the login provider asked for it. */
export type PassedFactor = 'totp' | 'passkey' | 'recovery' | 'device' | 'provider';

/** An assistant's fields as the database has them: lists and objects are JSON. */
type StoredSettings = {
  [Field in keyof AssistantSettings]: AssistantSettings[Field] extends string | number | null
    ? AssistantSettings[Field]
    : string;
};

/**
 * Types of values that the database knows as text or number only. Whether a column may be null, has a default or is
 * generated comes from the migrations; so does every column that is not here.
 */
type Values = {
  users: { role: 'Admin' | 'Editor' | 'Viewer'; status: 'Active' | 'Inactive' };
  sessions: { second_factor: PassedFactor };
  second_factors: { kind: 'totp' | 'passkey'; device_type: 'singleDevice' | 'multiDevice'; backed_up: Flag };
  access_tokens: { is_trial: Flag };
  provider_keys: { verified: Flag };
  assistants: Columns<StoredSettings> & { is_default: Flag };
  assistant_versions: Columns<StoredSettings> & { origin: VersionOrigin['kind'] };
  moved_assistants: { dropped_effort: AssistantSettings['reasoningEffort'] };
  tool_servers: {
    kind: ToolServer['kind'];
    auth_type: ToolServer['auth']['type'];
    is_offered: Flag;
    is_on: Flag;
    state: ToolServer['state'];
  };
  tool_server_tools: { is_read_only: Flag; may_repeat: Flag };
  assistant_tool_choices: { approval: ToolApproval };
  imports: { source: ImportSource; state: ImportState | 'uploading'; with_files: Flag };
  threads: {
    title_source: 'opening' | 'suggested' | 'chosen';
    purpose: 'chat' | 'comparison' | 'temporary' | 'trash' | 'discarded';
    pinned: Flag;
    archived: Flag;
  };
  messages: { role: 'user' | 'assistant'; chosen: Flag };
  runs: {
    state: 'queued' | 'running' | 'waiting' | 'complete' | 'stopped' | 'failed' | 'interrupted';
    stop_requested: Flag;
  };
  program_runs: { state: 'as_current' | 'waiting' | 'cancelled' | 'max_prompt_tokens' | 'max_completion_tokens' };
  tool_calls: {
    kind: ToolCall['kind'];
    state: ToolCall['state'];
    may_repeat: Flag;
    decision: ApprovalDecision | 'not_asked';
  };
  thread_approvals: { given: 'once' | 'thread' };
  usage_records: {
    purpose: 'chat' | 'evaluation' | 'tool_step' | 'continuation' | 'tool' | 'title' | 'summary' | 'training';
    estimated: Flag;
    temporary: Flag;
  };
  identities: { provider: LoginProvider };
  sign_in_flows: { provider: LoginProvider };
  groups: { source: OpenIdProvider | 'scim' };
  provider_sessions: { provider: OpenIdProvider };
  mailed_tokens: { purpose: 'password' | 'login' | 'confirm-email' | 'new-address' };
  invitations: { role: Role; is_mailed: Flag };
  account_notices: { kind: 'reset_link_shown' | 'login_link_shown' };
  preferences: {
    theme: 'light' | 'dark' | 'system';
    notifications_enabled: Flag;
    sound_enabled: Flag;
    model_mails: Flag;
    custom_colors: Flag;
  };
  listed_models: { is_listed: Flag };
  security_events: { event: SecurityEventKind; done_by: 'self' | 'administrator' | 'operator' };
  files: { purpose: 'assistants' | 'user_data' | 'fine-tune'; made_by_assistant: Flag };
  file_uses: { used_by: 'assistant' | 'project' | 'message' | 'queued_message' | 'fine_tuning_job' | 'vector_store' };
  message_files: { kind: 'image' | 'document' | 'text' };
  made_files: { state: 'fetching' | 'kept' | 'failed' };
  connection_copies: { purpose: 'fine-tune' };
  provider_copies: {
    purpose: 'assistants' | 'user_data' | 'fine-tune';
    state: 'waiting_for_key' | 'queued' | 'forwarding' | 'ready' | 'failed' | 'not_served' | 'removing';
  };
  budgets: { hard_stop: Flag };
  project_budgets: { hard_stop: Flag };
  fine_tuning_jobs: { method: TrainingMethod; status: JobStatus; cancel_requested: Flag };
  fine_tuning_events: { level: JobEvent['level'] };
  custom_models: { is_active: Flag };
  comparisons: { kind: ComparisonKind; state: 'idle' | 'asking'; over_budget: Flag };
  comparison_prompts: { vote: 'tuned' | 'base' | 'tie'; is_due: Flag; has_baseline: Flag; is_same: Flag };
  comparison_judgings: { state: 'idle' | 'asking'; over_budget: Flag; follows: Flag };
  comparison_verdicts: { is_due: Flag; outcome: Outcome };
  projects: { icon: Project['icon']; color: Project['color'] };
  message_summaries: { state: 'writing' | 'complete' | 'failed' };
  queued_messages: { over_budget: Flag; held: HeldReason; send_now: Flag };
  connections: { preset: PresetId; api: ConnectionApi; is_paused: Flag };
  connection_offers: { audience: OfferAudience };
  test_questions: { source: TestQuestionSource };
  assistant_files: { state: KnowledgeState };
  project_files: { state: KnowledgeState };
  vector_stores: { state: 'creating' | 'ready' | 'expired' | 'removing' };
  program_vector_store_files: {
    attributes_sent: Flag;
    state: KnowledgeState | 'cancelled';
    error_code: VectorStoreFileError['code'];
  };
  message_ratings: { value: 'good' | 'bad' };
  datasets: { format: DatasetFormat };
  dataset_examples: { review: DatasetExample['review']; edited: Flag };
  responses: { state: ResponseState; background: Flag };
  response_items: { direction: 'in' | 'out' };
};

/** Each named table and column must exist, and be able to hold the values. */
type Checked<
  Named extends {
    [Table in keyof Named]: Table extends keyof Tables
      ? {
          [Column in keyof Named[Table]]: Column extends keyof Tables[Table]
            ? SelectType<Tables[Table][Column]>
            : never;
        }
      : never;
  },
> = Named;

type Narrowed<Column, Value> = Column extends Generated<string> | Generated<number> ? Generated<Value> : Value;

type WithValues<Columns, Named> = {
  [Column in keyof Columns]: Column extends keyof Named
    ? Narrowed<Columns[Column], Named[Column] | Extract<Columns[Column], null>>
    : Columns[Column];
};

type Stored = Checked<Values>;

/** All tables: their columns from the migrated database, with the types of values that it cannot tell. */
export type Database = {
  [Table in keyof Tables]: Table extends keyof Stored ? WithValues<Tables[Table], Stored[Table]> : Tables[Table];
};
