import type { SecurityEventKind } from '@roster/contracts/account';
import type { AssistantSettings, KnowledgeState } from '@roster/contracts/assistants/assistants';
import type { VersionOrigin } from '@roster/contracts/assistants/versions';
import type { ApprovalDecision, ToolCall } from '@roster/contracts/chat';
import type { ComparisonKind } from '@roster/contracts/comparisons/comparisons';
import type { Outcome } from '@roster/contracts/comparisons/judging';
import type { TestQuestionSource } from '@roster/contracts/comparisons/test-sets';
import type { DatasetExample, DatasetFormat } from '@roster/contracts/fine-tuning/datasets';
import type { JobEvent, JobStatus, TrainingMethod } from '@roster/contracts/fine-tuning/jobs';
import type { ResponseState } from '@roster/contracts/public-api/responses';
import type { VectorStoreFileError } from '@roster/contracts/public-api/vector-stores';
import type { ToolApproval, ToolServer } from '@roster/contracts/tool-servers/tool-servers';
import type { Generated, GeneratedAlways } from 'kysely';
import type { Columns } from './columns.ts';

/** Portable columns only: integers, reals, text. Booleans are 0/1, times ISO 8601 text in UTC, JSON is text. */
type Flag = 0 | 1;
type Id = GeneratedAlways<number>;

/** `cost_usd` leaves out the unpriced requests. */
type UsageSums = {
  requests: number;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  cost_usd: number;
  unpriced_requests: number;
  estimated_requests: number;
};

export type Database = {
  schema_migrations: { name: string; checksum: string; applied_at: string };
  settings: { name: string; value: string };
  instances: { id: Id; started_at: string; version: string | null };
  /** `site` and `part` are digests; `ends_at` is in milliseconds of the database’s clock. */
  rate_counts: { site: string; part: string; used: number; ends_at: number };
  users: {
    id: Id;
    email: string;
    name: string | null;
    role: 'Admin' | 'Editor' | 'Viewer';
    status: 'Active' | 'Inactive';
    password_hash: string | null;
    email_verified_at: string | null;
    /** Wrong passwords in a row since the last success. */
    failed_sign_ins: Generated<number>;
    /** When a session of the user was last active; null: never. Kept when sessions end. */
    last_active_at: string | null;
    created_at: string;
  };
  sessions: {
    /** The public id; the token itself is only in the cookie. */
    id: string;
    token_hash: string;
    user_id: number;
    user_agent: string | null;
    ip_address: string;
    created_at: string;
    last_active_at: string;
  };
  /** What programs call with; the token itself was shown once. */
  access_tokens: {
    id: Id;
    user_id: number;
    name: string;
    /** null: revoked. */
    token_hash: string | null;
    last4: string;
    /** Separated by spaces. */
    rights: string;
    monthly_budget_usd: number | null;
    /** The month (YYYY-MM in UTC) that `spent_usd` is of. */
    spent_month: Generated<string>;
    spent_usd: Generated<number>;
    created_at: string;
    expires_at: string | null;
    last_used_at: string | null;
    last_used_ip: string | null;
    revoked_at: string | null;
    /** The one that the page Connect tries calls with. */
    is_trial: Generated<Flag>;
  };
  data_keys: { user_id: number; wrapped: string };
  provider_keys: {
    user_id: number;
    sealed: string;
    last4: string;
    added_at: string;
    verified: Flag;
    notice: string | null;
  };
  provider_traits: {
    base_url: string;
    model: string;
    trait: string;
    value: string;
    learned_at: string;
    /** By how many keys it was refused, at most 2. This and the next two are null in rows of versions before. */
    askers: number | null;
    ask_at: string | null;
    /** How often asking again has been put off. */
    step: number | null;
  };
  assistants: Columns<Omit<AssistantSettings, 'tools' | 'responseSchema' | 'starters' | 'icon' | 'color'>> & {
    /** JSON. */
    tools: Generated<string>;
    /** JSON. */
    starters: Generated<string>;
    icon: Generated<AssistantSettings['icon']>;
    color: Generated<AssistantSettings['color']>;
    response_schema: Generated<string | null>;
    id: Id;
    user_id: number;
    is_default: Flag;
    provider_assistant_id: string | null;
    /** The number of its newest version. */
    version: Generated<number>;
    created_at: string;
    updated_at: string;
  };
  /** What an assistant was at each save that changed something. */
  assistant_versions: Columns<Omit<AssistantSettings, 'tools' | 'starters'>> & {
    assistant_id: number;
    number: number;
    user_id: number;
    /** Who or what made it, with the name of the token or of the copied one, or the number of the restored version. */
    origin: VersionOrigin['kind'];
    origin_name: string | null;
    origin_number: number | null;
    /** The names of the fields that differ from the version before it, a JSON list. */
    changed: string;
    /** About how many characters it takes. */
    size: number;
    created_at: string;
    /** JSON, like `starters`, `files` and `chosen_tools`. */
    tools: string;
    starters: string;
    files: string;
    chosen_tools: string;
    /** JSON; null: programs have set nothing. */
    api_fields: string | null;
  };
  assistant_moves: {
    id: Id;
    user_id: number;
    from_model: string;
    to_model: string;
    /** How many assistants, and of how many of them the new model does not take something. */
    moved: number;
    without_temperature: number;
    without_effort: number;
    created_at: string;
    undone_at: string | null;
  };
  moved_assistants: {
    move_id: number;
    assistant_id: number;
    user_id: number;
    version_before: number;
    version_after: number;
    /** The reasoning effort that the move took away. */
    dropped_effort: AssistantSettings['reasoningEffort'];
    version_undone: number | null;
  };
  /** What programs say of an assistant beyond its form. */
  assistant_api_fields: {
    assistant_id: number;
    user_id: number;
    /** JSON. */
    fields: string;
  };
  tool_servers: {
    id: Id;
    user_id: number;
    name: string;
    kind: ToolServer['kind'];
    url: string;
    auth_type: ToolServer['auth']['type'];
    /** Of a header its name; of a sign-in the client ID that was entered. */
    auth_name: string | null;
    /** The header's value or the client's secret, with the origin that it was given for, sealed. */
    auth_sealed: string | null;
    auth_last4: string | null;
    is_offered: Flag;
    is_on: Flag;
    state: ToolServer['state'];
    notice: string | null;
    looked_at: string | null;
    /** Grows with each look that is asked for: what an earlier one finds does not count. */
    look: number;
    created_at: string;
    /** Of the kind `openapi`; null: the text was pasted. */
    description_url: Generated<string | null>;
    /** Of the kind `openapi`: what its owner wants instead of the address in the description. */
    base_url: Generated<string | null>;
  };
  /** What a person is known by at a tool server, each for themselves. */
  tool_server_sign_ins: {
    server_id: number;
    user_id: number;
    /** Whom Roster is registered as there for this person, sealed. */
    client_sealed: string | null;
    /** With where they are good for, sealed; null: signed in no more, or not yet. */
    tokens_sealed: string | null;
    expires_at: string | null;
    signed_in_at: string | null;
    /** Why the last attempt did not work. */
    notice: string | null;
    /** Grows with the tokens: what was begun with earlier ones does not count. */
    version: number;
    /** Until then one process alone may have the tokens renewed. */
    renewed_until: string | null;
  };
  /** Sign-ins at tool servers that are under way. */
  tool_server_flows: {
    state_hash: string;
    server_id: number;
    user_id: number;
    /** The session that it was begun in. */
    session_id: string;
    sealed: string;
    created_at: string;
  };
  /** As of the last look that succeeded. */
  tool_server_tools: {
    server_id: number;
    name: string;
    user_id: number;
    position: number;
    title: string;
    description: string;
    /** JSON. */
    input_schema: string;
    is_read_only: Flag;
    may_repeat: Flag;
    digest: string;
    /** JSON: how it is called, where it is the operation of a description. */
    operation: Generated<string | null>;
    /** JSON: the arguments in the form that providers take; null: found before Roster brought them into it. */
    model_schema: Generated<string | null>;
  };
  /** The text of an OpenAPI description, and for any server which of its tools are left out. */
  tool_server_descriptions: {
    server_id: number;
    user_id: number;
    /** As it was pasted; null: it lies at an address. */
    text: string | null;
    /** JSON: the tools or operations that are not offered, the first of them, with the reasons. */
    left_out: string;
    left_out_count: number;
    /** JSON: the operations that the description names; null: not read since Roster keeps them, or it has no description. */
    operations: Generated<string | null>;
    /** JSON: the operations that become tools; null: the first ones do. */
    chosen: Generated<string | null>;
  };
  assistant_tool_choices: {
    assistant_id: number;
    server_id: number;
    name: string;
    /** Of the assistant. */
    user_id: number;
    position: number;
    approval: ToolApproval;
    digest: string;
  };
  threads: {
    id: Id;
    user_id: number;
    title: string;
    /** `opening`: cut from the first message; `suggested`: by the model; `chosen`: by its owner. */
    title_source: 'opening' | 'suggested' | 'chosen';
    assistant_id: number | null;
    /** What answers without an assistant; null: the default model. */
    model: string | null;
    /** What it switches for itself, JSON; null: nothing. */
    tools: string | null;
    /** `comparison`: no list of conversations shows it. */
    purpose: Generated<'chat' | 'comparison'>;
    pinned: Flag;
    archived: Flag;
    /** The last message of the shown branch. */
    head_message_id: number | null;
    next_position: Generated<number>;
    /** The program's token that it was made with; null: by its owner, or with a token that is gone. */
    access_token_id: number | null;
    /** A program's words on it for itself, JSON. */
    metadata: string | null;
    /** What its tools may use, as a program named it, JSON. */
    tool_resources: string | null;
    created_at: string;
    updated_at: string;
  };
  messages: {
    id: Id;
    user_id: number;
    thread_id: number;
    parent_id: number | null;
    /** The order of arrival in the thread. */
    position: number;
    /** How many messages lie before it in its branch: a page of a branch is a range of depths. */
    depth: number;
    role: 'user' | 'assistant';
    text: string;
    reasoning: string;
    client_id: string | null;
    /** Of what the client id was used for; null where there is none. */
    client_digest: string | null;
    /** A program's words on it for itself, JSON. */
    metadata: string | null;
    /** Of several answers that were asked for together: the one that was chosen to go on with. */
    chosen: Generated<Flag>;
    /** What neither `text` nor its files say: the order of its parts, addresses of images, what tools its files are for. JSON. */
    content: string | null;
    created_at: string;
  };
  runs: {
    id: Id;
    user_id: number;
    thread_id: number;
    message_id: number;
    assistant_id: number | null;
    /** Of the assistant, by its number; null: of none, or from before there were versions. */
    assistant_version: Generated<number | null>;
    /** Empty until it is settled which model answers. */
    model: string;
    /** How many answers to the same question were asked for before it, in the same call. */
    beside: Generated<number>;
    /** `waiting`: until a person approves the call of a tool; no process holds it. */
    state: 'queued' | 'running' | 'waiting' | 'complete' | 'stopped' | 'failed' | 'interrupted';
    /** The process that executes it, or has last done so. */
    instance: number;
    stop_requested: Generated<Flag>;
    /** The number of the last stored event. */
    last_event: Generated<number>;
    /** How the finished texts fall into numbered events, see features/chat/runs/event-log.ts; null while it runs. */
    event_marks: string | null;
    finish_reason: string | null;
    error: string | null;
    /** Of a program's run: the first run of the chain that this one belongs to. */
    program_run_id: Generated<number | null>;
    notes: Generated<string>;
    /** The names of the assistant's files that the answer cites, a JSON list. */
    sources: Generated<string>;
    /** The JSON schema that the answer was asked for with. */
    response_schema: Generated<string | null>;
    /** What an answer that has called tools goes on with, on whichever process: how it was asked for, JSON. */
    tool_loop: Generated<string | null>;
    /** Until when it waits; after that it is ended. */
    waits_until: Generated<string | null>;
    /** The step at which it last continued an answer that had ended early; null: it never did. */
    continued_step: Generated<number | null>;
    /** The call that asked for it. */
    continue_client_id: Generated<string | null>;
    continue_digest: Generated<string | null>;
    /** How long its model thought in all, in milliseconds; null: it did not, or that was not measured. */
    thought_ms: Generated<number | null>;
    created_at: string;
    finished_at: string | null;
  };
  /** What a program calls its run: a chain of runs, by the first of them. */
  program_runs: {
    run_id: number;
    user_id: number;
    thread_id: number;
    access_token_id: number | null;
    /** The last run of the chain. */
    current_run_id: number;
    /** `as_current`: as far as that run is. `waiting`: for what functions answer; no process holds it. */
    state: 'as_current' | 'waiting' | 'cancelled' | 'max_prompt_tokens' | 'max_completion_tokens';
    /** Until when it waits, and has expired after that. */
    waits_until: string | null;
    /** When it ended otherwise than with its last run. */
    ended_at: string | null;
    /** What it was asked for, JSON. */
    options: string;
    metadata: string;
  };
  /** What a model called while it wrote an answer, in order. */
  tool_calls: {
    run_id: number;
    position: number;
    user_id: number;
    message_id: number;
    kind: ToolCall['kind'];
    call_id: string;
    name: string;
    title: Generated<string>;
    server: Generated<string | null>;
    state: Generated<ToolCall['state']>;
    input: string;
    /** null: nothing has come of it yet. */
    output: string | null;
    /** How much of the answer's text stands before it. */
    text_at: Generated<number>;
    /** Of which step of its answer it is. */
    step: Generated<number>;
    /** Of a tool of a tool server, as it was when the model called it. */
    server_id: Generated<number | null>;
    tool: Generated<string | null>;
    digest: Generated<string | null>;
    /** Whether it may be called again where it is not known what came of it. */
    may_repeat: Generated<Flag>;
    /** null: a person is to decide. */
    decision: Generated<ApprovalDecision | 'not_asked' | null>;
    reason: Generated<string | null>;
    /** What the provider wants back with it, as JSON. */
    echo: Generated<string | null>;
  };
  /** The tools that a person has approved for later calls in a conversation, as they were then. */
  thread_approvals: {
    thread_id: number;
    user_id: number;
    server_id: number;
    tool: string;
    digest: string;
    /** `thread`: for all later calls. `once`: one was approved, which is enough for a tool that asks once. */
    given: 'once' | 'thread';
  };
  /** The events of runs that are under way, in batches; folded into the message when the run ends. */
  run_events: { run_id: number; first_event: number; last_event: number; events: string };
  usage_records: {
    id: Id;
    user_id: number;
    run_id: number | null;
    thread_id: number | null;
    assistant_id: number | null;
    /** Of a training. */
    job_id: number | null;
    /** Of a comparison's side questions. */
    comparison_id: number | null;
    /** Of a program's call. */
    access_token_id: number | null;
    /**
     * `tool_step`: of an answer that called tools, each request but the last. `continuation`: asks for the rest of an answer that ended
     * early. `tool`: a call that the provider ran; `model` is what it calls the tool. `training`: a fine-tuning job; `model` is its base model.
     */
    purpose: 'chat' | 'evaluation' | 'tool_step' | 'continuation' | 'tool' | 'title' | 'training';
    /** Of a step, in the place of `run_id`: the run, and which of its requests it was. Of a tool's call the run, and the call. */
    step_of: Generated<number | null>;
    step: Generated<number | null>;
    call_id: Generated<string | null>;
    model: string;
    input_tokens: number;
    cached_tokens: number;
    cache_write_tokens: number;
    output_tokens: number;
    reasoning_tokens: number;
    cost_usd: number | null;
    /** The day of the price that was used. */
    price_as_of: string | null;
    /** That answered; null: the standard one. */
    service_tier: Generated<string | null>;
    estimated: Flag;
    /** YYYY-MM-DD in UTC. */
    day: string;
    created_at: string;
  };
  /** The person at Google or GitHub who signs in to an account: known by issuer and subject, never by the address. */
  identities: {
    id: Id;
    user_id: number;
    provider: 'google' | 'github';
    /** null: written by a version that knew none; see login-providers/issuers.ts. */
    issuer: string | null;
    subject: string;
    email: string;
    created_at: string;
  };
  /** A sign-in at Google or GitHub that is under way, bound to one browser by its cookie; taken once. */
  sign_in_flows: {
    id_hash: string;
    provider: 'google' | 'github';
    state: string;
    nonce: string;
    code_verifier: string;
    return_path: string;
    /** The signed-in account that it connects to, and the session it was begun in; null when signing in. */
    user_id: number | null;
    session_id: string | null;
    created_at: string;
  };
  /** Mailed links. Of one account and purpose only the newest is good, once. */
  mailed_tokens: {
    id: Id;
    user_id: number;
    purpose: 'password' | 'confirm-email' | 'new-address';
    token_hash: string;
    /** The address that using it proves; null where the link did not go by mail. Of `new-address` the one it is about. */
    proves_email: string | null;
    created_at: string;
    used_at: string | null;
  };
  account_notices: {
    id: Id;
    user_id: number;
    kind: 'reset_link_shown';
    /** An administrator, as they were called; null: the operator. */
    done_by: string | null;
    created_at: string;
    dismissed_at: string | null;
  };
  preferences: {
    user_id: number;
    theme: 'light' | 'dark' | 'system';
    notifications_enabled: Flag;
    sound_enabled: Flag;
    /** Whether mails say which models end. */
    model_mails: Generated<Flag>;
    /** Who names conversations: null the cheapest model, '' nobody, else this model. */
    title_model: Generated<string | null>;
    custom_colors: Flag;
    background_color: string | null;
    foreground_color: string | null;
    primary_color: string | null;
    accent_color: string | null;
    card_color: string | null;
  };
  /** When a key's list of models was last read, and where. */
  model_lists: { user_id: number; base_url: string; asked_at: string };
  /** Those of the list that end some day, by it or by the catalogue. */
  listed_models: {
    user_id: number;
    model: string;
    /** YYYY-MM-DD, as the list said. */
    shutdown_date: string | null;
    /** 0: it was there once, with a date. */
    is_listed: Flag;
  };
  /** Which ends of models a person was told of: so many days before. */
  model_end_mails: {
    user_id: number;
    model: string;
    step: number;
    shutdown_date: string;
    created_at: string;
  };
  security_events: {
    id: Id;
    user_id: number | null;
    event: SecurityEventKind;
    done_by: 'self' | 'administrator' | 'operator';
    user_agent: string | null;
    ip_address: string | null;
    detail: string | null;
    created_at: string;
  };
  files: {
    id: Id;
    user_id: number;
    filename: string;
    /** The name as it is searched and sorted: without case, compatibility forms as one. */
    name_key: string;
    type: string;
    size: number;
    sha256: string;
    /** The name of its bytes in the store. */
    storage_key: string;
    purpose: 'assistants' | 'user_data' | 'fine-tune';
    /** A tool of the provider has made it for an answer. */
    made_by_assistant: Generated<Flag>;
    /** The dataset that it was saved from, or that what it was made of was; without a foreign key, so it may be gone. */
    dataset_id: Generated<number | null>;
    created_at: string;
  };
  /** Uploads that are under way, with the room they may need. Without a foreign key: bytes outlive their owner. */
  file_uploads: {
    id: Id;
    user_id: number;
    storage_key: string;
    reserved_bytes: number;
    /** The process that receives it. */
    instance: number;
    created_at: string;
  };
  /** What uses a file. Whatever attaches files writes its rows here; they go with the file. */
  file_uses: {
    file_id: number;
    user_id: number;
    used_by: 'assistant' | 'message' | 'fine_tuning_job' | 'vector_store';
    used_by_id: number;
  };
  /** The files of a message in order. What they were called stays when they are deleted. */
  message_files: {
    message_id: number;
    position: number;
    user_id: number;
    /** null: deleted. */
    file_id: number | null;
    filename: string;
    size: number;
    kind: 'image' | 'document' | 'text';
    media_type: string;
  };
  /** What tools of the provider have made for an answer. Once it is kept it is among the message's files, at the same place. */
  made_files: {
    id: Id;
    user_id: number;
    message_id: number;
    position: number;
    filename: string;
    state: 'fetching' | 'kept' | 'failed';
    /** In words for people: why it is not kept, or not yet. */
    error: string | null;
    /** Where it is fetched from; null: its bytes came with the answer. */
    container_id: string | null;
    container_file_id: string | null;
    /** As long as its container is there; null: its answer is being written. */
    fetch_until: string | null;
    created_at: string;
  };
  /** A file at the provider: one for each purpose it is sent with. It outlives the file until it is removed there. */
  provider_copies: {
    id: Id;
    user_id: number;
    /** null: deleted here, to be removed there. */
    file_id: number | null;
    filename: string;
    bytes: number;
    sha256: string;
    purpose: 'assistants' | 'user_data' | 'fine-tune';
    state: 'waiting_for_key' | 'queued' | 'forwarding' | 'ready' | 'failed' | 'not_served' | 'removing';
    error: string | null;
    provider_file_id: string | null;
    /** When it was last sent without an answer that says what came of it: it may be there. */
    sent_at: string | null;
    /** Attempts since it was last asked for by a person. */
    tries: Generated<number>;
    /** The process that is sending it. */
    instance: number | null;
    created_at: string;
  };
  /** Work for later, see jobs/worker.ts. */
  jobs: {
    id: Id;
    kind: string;
    payload: string;
    run_at: string;
    attempts: Generated<number>;
    claimed_until: string | null;
    last_error: string | null;
    /** A word for the kind of the last failure; nothing of a person. */
    error_class: string | null;
    given_up_at: string | null;
    created_at: string;
  };
  /** Sums of usage_records, kept in the transaction that writes the record. */
  usage_by_day: UsageSums & {
    user_id: number;
    /** YYYY-MM-DD in UTC. */
    day: string;
    /** A model, `tool:` and a tool, or `training:` and the base model of fine-tuning jobs. */
    model: string;
    /** 0: none. */
    assistant_id: number;
  };
  usage_by_quarter: UsageSums & {
    user_id: number;
    /** The start of a quarter of an hour: YYYY-MM-DDTHH:MM in UTC. */
    quarter: string;
  };
  /** Of programs' calls alone. */
  usage_by_token: UsageSums & {
    user_id: number;
    /** YYYY-MM-DD in UTC. */
    day: string;
    access_token_id: number;
  };
  /** USD per 1,000,000 tokens, as a person set them. */
  own_prices: {
    user_id: number;
    model: string;
    input: number;
    cached_input: number | null;
    output: number;
    set_at: string;
  };
  budgets: {
    id: Id;
    user_id: number;
    assistant_id: number | null;
    amount_usd: number;
    warn_at: number;
    hard_stop: Flag;
    tz: string;
  };
  fine_tuning_jobs: {
    id: Id;
    user_id: number;
    name: string;
    base_model: string;
    method: TrainingMethod;
    /** As asked for, JSON. */
    hyperparameters: string;
    training_file_id: number | null;
    training_filename: string;
    validation_file_id: number | null;
    validation_filename: string | null;
    /** That of the training file when the job was made; likewise. */
    dataset_id: Generated<number | null>;
    status: JobStatus;
    notice: string | null;
    error_code: string | null;
    /** The browser's client id and a digest of the request it came with; null where none was sent. */
    client_id: string | null;
    client_digest: string | null;
    /** The lookup token: sent along with the creation, so that the job is found again when no response came. */
    token: string;
    /** When its creation was last sent without a conclusive response: the job may exist at the provider. */
    sent_at: string | null;
    provider_job_id: string | null;
    tuned_model: string | null;
    trained_tokens: number | null;
    cost_usd: number | null;
    cancel_requested: Generated<Flag>;
    estimated_finish_at: string | null;
    total_steps: number | null;
    /** The provider's id of its result file. */
    result_file_id: string | null;
    /** The newest event that is stored here. */
    last_provider_event_id: string | null;
    /** Counted up with each look at it: a follower whose number is not this one has been replaced. */
    follow_number: Generated<number>;
    created_at: string;
    finished_at: string | null;
  };
  fine_tuning_events: {
    id: Id;
    user_id: number;
    job_id: number;
    provider_event_id: string;
    at: string;
    level: JobEvent['level'];
    message: string;
  };
  fine_tuning_metrics: {
    job_id: number;
    user_id: number;
    step: number;
    train_loss: number | null;
    train_accuracy: number | null;
    valid_loss: number | null;
    valid_accuracy: number | null;
    full_valid_loss: number | null;
    full_valid_accuracy: number | null;
  };
  fine_tuning_checkpoints: {
    id: Id;
    user_id: number;
    job_id: number;
    provider_checkpoint_id: string;
    step: number;
    model: string;
    train_loss: number | null;
    valid_loss: number | null;
    valid_accuracy: number | null;
    created_at: string;
  };
  custom_models: {
    id: Id;
    user_id: number;
    name: string;
    base_model: string;
    /** As the provider calls it. */
    model: string;
    is_active: Flag;
    job_id: number | null;
    /** Of a checkpoint; null: the end of the training. */
    step: number | null;
    created_at: string;
  };
  comparisons: {
    id: Id;
    user_id: number;
    kind: ComparisonKind;
    title: string;
    assistant_id: number | null;
    /** Of the candidate and the baseline, for the version before, which knows nothing else of them; see last-release.json. */
    tuned_model: string;
    base_model: string;
    temperature: number | null;
    /** JSON: `ComparedSettings`; empty: that version has made it, of the three above. */
    candidate: string;
    /** Likewise; null: only the candidate is asked. */
    baseline: string | null;
    state: Generated<'idle' | 'asking'>;
    /** Whether its open prompts are asked although a budget is used up. */
    over_budget: Generated<Flag>;
    /** JSON: why asking has stopped, or what it waits for. */
    refusal: string | null;
    /** JSON: what a draft would change of the assistant. */
    draft: Generated<string | null>;
    /** Of a run; null where the set was deleted since. */
    test_set_id: number | null;
    created_at: string;
  };
  comparison_prompts: {
    id: Id;
    user_id: number;
    comparison_id: number;
    position: number;
    instructions: string;
    /** JSON. */
    turns: string;
    expected: string | null;
    /** The candidate's, and the baseline's. */
    tuned_thread_id: number | null;
    base_thread_id: number | null;
    /** JSON: an earlier answer, which stands for the baseline's. */
    baseline_text: string | null;
    /** For the candidate, the baseline, or neither. */
    vote: 'tuned' | 'base' | 'tie' | null;
    /** To be asked, since asking was started. */
    is_due: Generated<Flag>;
    /** 0: there is no earlier answer, and none is asked for. */
    has_baseline: Generated<Flag>;
    /** In a run: whether both answers have the same words; null: not both are there yet. */
    is_same: Flag | null;
  };
  comparison_judgings: {
    id: Id;
    user_id: number;
    comparison_id: number;
    model: string;
    criteria: string;
    state: Generated<'idle' | 'asking'>;
    over_budget: Generated<Flag>;
    /** JSON: why judging has stopped, or what it waits for. */
    refusal: string | null;
    /** It begins by itself when the prompts have been asked. */
    follows: Generated<Flag>;
    created_at: string;
  };
  comparison_verdicts: {
    id: Id;
    user_id: number;
    judging_id: number;
    prompt_id: number;
    candidate_first_thread_id: number | null;
    baseline_first_thread_id: number | null;
    /** The threads of the answers that were judged; null: an earlier answer, or none yet. */
    judged_candidate_thread_id: number | null;
    judged_baseline_thread_id: number | null;
    /** To be asked, since judging was started. */
    is_due: Generated<Flag>;
    /** Of the answers in both orders; null: not both are there yet. */
    outcome: Outcome | null;
  };
  test_sets: {
    id: Id;
    user_id: number;
    assistant_id: number;
    name: string;
    created_at: string;
    updated_at: string;
  };
  test_questions: {
    id: Id;
    user_id: number;
    set_id: number;
    position: number;
    source: TestQuestionSource;
    /** JSON: the conversation up to the question, the question last. */
    turns: string;
    expected: string | null;
  };
  assistant_files: {
    assistant_id: number;
    file_id: number;
    user_id: number;
    state: KnowledgeState;
    error: string | null;
    /** The provider's id of the file as it was put into the vector store. */
    indexed_file_id: string | null;
    added_at: string;
    /** When its state became what it is; a change is made only from the state that was read. */
    changed_at: string;
  };
  vector_stores: {
    id: Id;
    user_id: number;
    /** null: a program’s, or the assistant is gone and it is to be removed at the provider. */
    assistant_id: number | null;
    /** Goes along to the provider, so that a store that was sent without an answer is found again. */
    token: string;
    sent_at: string | null;
    provider_store_id: string | null;
    /** `expired`: to be removed at the provider, while a program is still told of it. */
    state: 'creating' | 'ready' | 'expired' | 'removing';
    error: string | null;
    /** The process that is working on it. */
    instance: number | null;
    created_at: string;
  };
  /** What a program says of a vector store that it has made; none of an assistant’s. */
  program_vector_stores: {
    store_id: number;
    user_id: number;
    name: string;
    description: string | null;
    /** JSON. */
    metadata: string;
    expires_after_days: number | null;
    expires_at: string | null;
    last_active_at: string;
  };
  program_vector_store_files: {
    id: Id;
    user_id: number;
    store_id: number;
    file_id: number;
    /** JSON. */
    attributes: string;
    /** The provider has been told the attributes as they are here. */
    attributes_sent: Generated<Flag>;
    /** JSON; null: as the provider cuts files by itself. */
    chunking: string | null;
    state: KnowledgeState | 'cancelled';
    error: string | null;
    error_code: VectorStoreFileError['code'] | null;
    /** The provider's id of the file as it was put into the vector store. */
    indexed_file_id: string | null;
    usage_bytes: Generated<number>;
    added_at: string;
    /** When its state became what it is; a change is made only from the state that was read. */
    changed_at: string;
  };
  program_vector_store_batches: {
    id: Id;
    user_id: number;
    store_id: number;
    created_at: string;
    cancelled_at: string | null;
  };
  program_vector_store_batch_files: { batch_id: number; entry_id: number; user_id: number };
  message_ratings: {
    message_id: number;
    user_id: number;
    value: 'good' | 'bad' | null;
    correction: string | null;
    rated_at: string;
  };
  datasets: {
    id: Id;
    user_id: number;
    name: string;
    format: DatasetFormat;
    created_at: string;
    updated_at: string;
  };
  dataset_examples: {
    id: Id;
    user_id: number;
    dataset_id: number;
    source_message_id: number | null;
    /** The worse answer of a pair, where it is another message. */
    rejected_message_id: number | null;
    instructions: string;
    /** JSON. */
    turns: string;
    answer: string;
    rejected: string | null;
    review: DatasetExample['review'];
    edited: Generated<Flag>;
    created_at: string;
  };
  /** Programs' calls that are being answered. */
  api_calls: {
    id: Id;
    user_id: number;
    access_token_id: number | null;
    assistant_id: number | null;
    model: string;
    /** Roughly, for where the provider does not say. */
    input_tokens: number;
    /** The process that answers it. */
    instance: number;
    created_at: string;
  };
  /** What programs have asked by way of Responses. */
  responses: {
    id: Id;
    user_id: number;
    access_token_id: number | null;
    assistant_id: number | null;
    /** As the program named it: a model, or an assistant. */
    model: string;
    /** The response that it goes on from; its number stays when that one is deleted. */
    previous_id: number | null;
    state: ResponseState;
    background: Flag;
    /** JSON, without items and state. */
    fields: string;
    /** JSON. */
    error: string | null;
    bytes: number;
    /** Its row in api_calls while it is written. */
    call_id: number | null;
    cancel_requested_at: string | null;
    created_at: string;
    expires_at: string;
  };
  response_items: {
    id: Id;
    user_id: number;
    response_id: number;
    direction: 'in' | 'out';
    /** As programs name it. */
    item_id: string;
    /** JSON. */
    item: string;
  };
  /** For the provider's own figures only. */
  provider_admin_keys: {
    user_id: number;
    sealed: string;
    last4: string;
    added_at: string;
    notice: string | null;
  };
};
