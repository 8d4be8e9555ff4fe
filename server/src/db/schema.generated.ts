// Written by `npm run schema` from the migrated database and schema-notes.json.
import type { Generated, GeneratedAlways } from 'kysely';

/** Booleans are 0/1, times ISO 8601 text in UTC, JSON is text. */
export type Tables = {
  /** Access tokens of clients; the token itself was shown once. */
  access_tokens: {
    id: GeneratedAlways<number>;
    user_id: number;
    name: string;
    /** null: revoked. */
    token_hash: string | null;
    last4: string;
    /** Separated by spaces. */
    rights: string;
    monthly_budget_usd: number | null;
    /** The month (YYYY-MM in UTC) of `spent_usd`. */
    spent_month: Generated<string>;
    spent_usd: Generated<number>;
    created_at: string;
    expires_at: string | null;
    last_used_at: string | null;
    last_used_ip: string | null;
    revoked_at: string | null;
    /** The token with which the Connect page tries calls. */
    is_trial: Generated<number>;
  };
  account_notices: {
    id: GeneratedAlways<number>;
    user_id: number;
    kind: string;
    /** An administrator's name at the time; null: the operator. */
    done_by: string | null;
    created_at: string;
    dismissed_at: string | null;
  };
  /** Running calls of clients. */
  api_calls: {
    id: GeneratedAlways<number>;
    user_id: number;
    access_token_id: number | null;
    assistant_id: number | null;
    model: string;
    /** An estimate, for when the provider reports none. */
    input_tokens: number;
    /** The process that answers it. */
    instance: number;
    created_at: string;
  };
  /** Fields that clients store with an assistant beyond its form. */
  assistant_api_fields: {
    assistant_id: number;
    user_id: number;
    /** JSON. */
    fields: string;
  };
  /** Forms of assistants that were left without saving. */
  assistant_drafts: {
    id: GeneratedAlways<number>;
    user_id: number;
    /** null: of a new assistant. */
    assistant_id: number | null;
    /** The version that was changed; null: of a new assistant. */
    version: number | null;
    /** The form’s values, JSON. */
    draft: string;
    saved_at: string;
  };
  assistant_files: {
    assistant_id: number;
    file_id: number;
    user_id: number;
    state: string;
    error: string | null;
    /** The provider's id of the file as added to the vector store. */
    indexed_file_id: string | null;
    added_at: string;
    /** When its state last changed; updates require the state that was read. */
    changed_at: string;
  };
  assistant_moves: {
    id: GeneratedAlways<number>;
    user_id: number;
    from_model: string;
    to_model: string;
    /** The number of assistants, and of those for which the new model does not support something. */
    moved: number;
    without_temperature: number;
    without_effort: number;
    created_at: string;
    undone_at: string | null;
  };
  assistant_tool_choices: {
    assistant_id: number;
    server_id: number;
    name: string;
    /** The assistant's owner. */
    user_id: number;
    position: number;
    approval: string;
    digest: string;
  };
  /** An assistant's settings after each save that changed something. */
  assistant_versions: {
    assistant_id: number;
    number: number;
    user_id: number;
    /** The creator, with the name of the token or of the copied assistant, or the number of the restored version. */
    origin: string;
    origin_name: string | null;
    origin_number: number | null;
    /** The names of the fields that differ from the previous version, a JSON list. */
    changed: string;
    /** Approximate size in characters. */
    size: number;
    created_at: string;
    name: string;
    description: string;
    model: string;
    temperature: number;
    reasoning_effort: string | null;
    starters: string;
    icon: string | null;
    color: string | null;
    tools: string;
    response_schema: string | null;
    /** JSON, like `chosen_tools`. */
    files: string;
    chosen_tools: string;
    /** JSON; null: clients have set nothing. */
    api_fields: string | null;
    instructions: string;
    tags: Generated<string>;
    earlier_messages: Generated<string>;
    fallback_model: string | null;
  };
  assistants: {
    id: GeneratedAlways<number>;
    user_id: number;
    name: string;
    description: string;
    model: string;
    temperature: number;
    reasoning_effort: string | null;
    instructions: string;
    is_default: number;
    provider_assistant_id: string | null;
    created_at: string;
    updated_at: string;
    response_schema: string | null;
    tools: Generated<string>;
    /** The newest version's number. */
    version: Generated<number>;
    starters: Generated<string>;
    icon: string | null;
    color: string | null;
    tags: Generated<string>;
    /** The import that brought it, and what it was there. */
    import_id: number | null;
    source_id: string | null;
    earlier_messages: Generated<string>;
    fallback_model: string | null;
  };
  budgets: {
    id: GeneratedAlways<number>;
    user_id: number;
    assistant_id: number | null;
    amount_usd: number;
    warn_at: number;
    hard_stop: number;
    tz: string;
  };
  comparison_judgings: {
    id: GeneratedAlways<number>;
    user_id: number;
    comparison_id: number;
    model: string;
    criteria: string;
    state: Generated<string>;
    over_budget: Generated<number>;
    /** JSON: why judging has stopped, or what it waits for. */
    refusal: string | null;
    created_at: string;
    /** 1: judging starts by itself when the prompts have been asked. */
    follows: Generated<number>;
  };
  comparison_prompts: {
    id: GeneratedAlways<number>;
    user_id: number;
    comparison_id: number;
    position: number;
    instructions: string;
    /** JSON. */
    turns: string;
    expected: string | null;
    /** The candidate's thread, and the baseline's. */
    tuned_thread_id: number | null;
    base_thread_id: number | null;
    /** For the candidate, the baseline, or neither. */
    vote: string | null;
    /** JSON: an earlier answer, used as the baseline's. */
    baseline_text: string | null;
    /** To be asked, since asking was started. */
    is_due: Generated<number>;
    /** 0: there is no earlier answer, and none is requested. */
    has_baseline: Generated<number>;
    /** In a test set run: 1 if both answers have the same text; null: one is missing. */
    is_same: number | null;
  };
  comparison_verdicts: {
    id: GeneratedAlways<number>;
    user_id: number;
    judging_id: number;
    prompt_id: number;
    candidate_first_thread_id: number | null;
    baseline_first_thread_id: number | null;
    /** The threads of the judged answers; null: an earlier answer, or none yet. */
    judged_candidate_thread_id: number | null;
    judged_baseline_thread_id: number | null;
    /** To be asked, since judging was started. */
    is_due: Generated<number>;
    /** From the verdicts in both orders; null: one is missing. */
    outcome: string | null;
  };
  comparisons: {
    id: GeneratedAlways<number>;
    user_id: number;
    /** The candidate's model, for the previous version, which knows `tuned_model`, `base_model` and `temperature` only; see last-release.json. */
    tuned_model: string;
    base_model: string;
    temperature: number | null;
    created_at: string;
    kind: Generated<string>;
    title: Generated<string>;
    assistant_id: number | null;
    /** JSON: `ComparedSettings`; empty: created by the previous version, from `tuned_model`, `base_model` and `temperature`. */
    candidate: Generated<string>;
    /** JSON, like `candidate`; null: only the candidate is asked. */
    baseline: string | null;
    state: Generated<string>;
    /** 1: open prompts are asked although a budget is used up. */
    over_budget: Generated<number>;
    /** JSON: why asking has stopped, or what it waits for. */
    refusal: string | null;
    /** JSON: the changes of a draft to the assistant. */
    draft: string | null;
    /** For a test set run; null if the set was deleted since. */
    test_set_id: number | null;
  };
  /** Copies at the providers of people's connections. */
  connection_copies: {
    id: GeneratedAlways<number>;
    user_id: number;
    connection_id: number;
    /** null: deleted here, to be deleted there. */
    file_id: number | null;
    filename: string;
    bytes: number;
    purpose: string;
    provider_file_id: string | null;
    /** When it was last sent: it may exist. */
    sent_at: string | null;
    created_at: string;
  };
  /** The people who may use an offer with the audience `chosen`. */
  connection_offer_people: {
    connection_id: number;
    user_id: number;
  };
  /** The terms of connections that administrators offer. */
  connection_offers: {
    connection_id: number;
    audience: string;
    /** null: no limit. */
    monthly_usd_per_person: number | null;
    monthly_usd_total: number | null;
    created_by: number | null;
  };
  /** Sums of usage of offered connections, written with each record. */
  connection_spend: {
    connection_id: number;
    /** null: an account that was closed. */
    user_id: number | null;
    /** YYYY-MM in UTC. */
    month: string;
    /** As in `usage_by_day`, without the connection. */
    model: string;
    requests: number;
    unpriced_requests: number;
    cost_usd: number;
  };
  /** Accounts with providers beside the installation's own. */
  connections: {
    /** Never reused: models that are stored with a removed connection must not be answered by a later one. */
    id: GeneratedAlways<number>;
    /** null: offered by an administrator, see `connection_offers`. */
    user_id: number | null;
    preset: string;
    name: string;
    /** The name in lower case; unique for the user. */
    name_key: string;
    base_url: string;
    /** The key with the base URL that it belongs to, encrypted; null: the provider needs none. */
    key_sealed: string | null;
    /** Empty for a short key. */
    key_last4: string | null;
    api: string;
    first_token_seconds: number | null;
    is_paused: Generated<number>;
    position: number;
    /** The provider's words about the key or the address when it was last used. */
    notice: string | null;
    /** JSON of the abilities that were tried. */
    checks: Generated<string>;
    checked_at: string | null;
    created_at: string;
    headers_sealed: string | null;
    header_names: Generated<string>;
  };
  custom_models: {
    id: GeneratedAlways<number>;
    user_id: number;
    name: string;
    base_model: string;
    /** As the provider calls it. */
    model: string;
    is_active: number;
    job_id: number | null;
    /** For a checkpoint; null: the end of the training. */
    step: number | null;
    created_at: string;
  };
  data_keys: {
    user_id: number;
    wrapped: string;
  };
  dataset_examples: {
    id: GeneratedAlways<number>;
    user_id: number;
    dataset_id: number;
    source_message_id: number | null;
    /** The worse answer of a pair, if it is another message. */
    rejected_message_id: number | null;
    instructions: string;
    /** JSON. */
    turns: string;
    answer: string;
    rejected: string | null;
    review: string;
    edited: Generated<number>;
    created_at: string;
  };
  datasets: {
    id: GeneratedAlways<number>;
    user_id: number;
    name: string;
    format: string;
    created_at: string;
    updated_at: string;
  };
  /** Running uploads with the room they may need. Without a foreign key: bytes outlive their owner. */
  file_uploads: {
    id: GeneratedAlways<number>;
    user_id: number;
    storage_key: string;
    reserved_bytes: number;
    /** The process that receives it. */
    instance: number;
    created_at: string;
  };
  /** The uses of a file. Every feature that attaches files writes its rows here; they are deleted with the file. */
  file_uses: {
    file_id: number;
    user_id: number;
    used_by: string;
    used_by_id: number;
  };
  files: {
    id: GeneratedAlways<number>;
    user_id: number;
    filename: string;
    /** The name as searched and sorted: without case, in compatibility form. */
    name_key: string;
    type: string;
    size: number;
    sha256: string;
    /** The name of its bytes in the store. */
    storage_key: string;
    purpose: string;
    created_at: string;
    /** 1: generated by a provider's tool for an answer. */
    made_by_assistant: Generated<number>;
    /** The dataset that it, or its source, was saved from; without a foreign key, so it may be deleted. */
    dataset_id: number | null;
    /** The import that brought it; null: none. */
    import_id: number | null;
    /** Its id in the export. */
    source_id: string | null;
  };
  fine_tuning_checkpoints: {
    id: GeneratedAlways<number>;
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
  fine_tuning_events: {
    id: GeneratedAlways<number>;
    user_id: number;
    job_id: number;
    provider_event_id: string;
    at: string;
    level: string;
    message: string;
  };
  fine_tuning_jobs: {
    id: GeneratedAlways<number>;
    user_id: number;
    name: string;
    base_model: string;
    method: string;
    /** As requested, JSON. */
    hyperparameters: string;
    training_file_id: number | null;
    training_filename: string;
    validation_file_id: number | null;
    validation_filename: string | null;
    status: string;
    notice: string | null;
    error_code: string | null;
    /** The lookup token: sent with the creation, so that the job is found again if no response came. */
    token: string;
    /** When its creation was last sent without a conclusive response: the job may exist at the provider. */
    sent_at: string | null;
    provider_job_id: string | null;
    tuned_model: string | null;
    trained_tokens: number | null;
    cost_usd: number | null;
    cancel_requested: Generated<number>;
    estimated_finish_at: string | null;
    total_steps: number | null;
    /** The provider's id of its result file. */
    result_file_id: string | null;
    /** The newest event that is stored here. */
    last_provider_event_id: string | null;
    /** Incremented with each poll: a follower with another number has been replaced. */
    follow_number: Generated<number>;
    created_at: string;
    finished_at: string | null;
    /** The browser's client id and a digest of its request; null without one. */
    client_id: string | null;
    client_digest: string | null;
    /** The dataset of the training file when the job was created; without a foreign key, so it may be deleted. */
    dataset_id: number | null;
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
  group_members: {
    group_id: number;
    user_id: number;
  };
  /** Groups that a login provider names at sign-ins, or that provisioning (`scim`) maintains. */
  groups: {
    id: GeneratedAlways<number>;
    source: string;
    /** The source’s own id; null: a provisioned group without one. */
    external_id: string | null;
    name: string;
    created_at: string;
    updated_at: string;
  };
  /** A user at Google or GitHub who signs in to an account: identified by issuer and subject, never by the email address. */
  identities: {
    id: GeneratedAlways<number>;
    user_id: number;
    provider: string;
    subject: string;
    email: string;
    created_at: string;
    /** null: written by a version without issuers; see login-providers/issuers.ts. */
    issuer: string | null;
  };
  /** Imports of conversations. Kept after an undo, as a record. */
  imports: {
    id: GeneratedAlways<number>;
    user_id: number;
    filename: string;
    size: number;
    /** The uploaded bytes; null: deleted, because nothing will read them again. */
    storage_key: string | null;
    /** The process that receives the upload. */
    instance: number;
    source: string | null;
    /** `uploading`: in no list. */
    state: string;
    /** JSON: what the export contains. */
    counts: string;
    /** Conversations of the export that have been processed: an interrupted import continues after them. */
    processed: Generated<number>;
    imported_threads: Generated<number>;
    imported_messages: Generated<number>;
    kept: Generated<number>;
    error: string | null;
    created_at: string;
    finished_at: string | null;
    imported_files: Generated<number>;
    /** 0: its owner may not upload files. */
    with_files: Generated<number>;
    imported_assistants: Generated<number>;
    imported_projects: Generated<number>;
  };
  instances: {
    id: GeneratedAlways<number>;
    started_at: string;
    version: string | null;
  };
  /** One pending invitation at most for an address: neither accepted nor revoked, though it may have expired. */
  invitations: {
    id: GeneratedAlways<number>;
    email: string;
    role: string;
    /** Hash of the only link that works; null: it is not mailed yet, or has ended. */
    token_hash: string | null;
    /** The link came by mail, which proves the address. */
    is_mailed: number;
    /** Counts how often it was sent, so that a mail that is late does not replace a newer link. */
    version: number;
    /** Valid for so many days from when it was last sent. */
    days: number;
    /** The administrator who sent it last. */
    invited_by: number | null;
    created_at: string;
    expires_at: string;
    accepted_at: string | null;
    /** The account that accepting it created. */
    user_id: number | null;
    revoked_at: string | null;
  };
  /** Background jobs, see jobs/worker.ts. */
  jobs: {
    id: GeneratedAlways<number>;
    kind: string;
    payload: string;
    run_at: string;
    attempts: Generated<number>;
    claimed_until: string | null;
    last_error: string | null;
    given_up_at: string | null;
    created_at: string;
    /** The kind of the last failure, without personal data. */
    error_class: string | null;
  };
  /** Models of the list with a shutdown date, from the list or the catalogue. */
  listed_models: {
    user_id: number;
    model: string;
    /** YYYY-MM-DD, from the list. */
    shutdown_date: string | null;
    /** 0: it was listed once, with a date. */
    is_listed: number;
  };
  /** Logout tokens of providers that were used: each counts once. */
  logout_tokens: {
    id_hash: string;
    created_at: string;
  };
  /** Files generated by the provider's tools for an answer. Once stored, a file is among the message's files at the same place. */
  made_files: {
    id: GeneratedAlways<number>;
    user_id: number;
    message_id: number;
    position: number;
    filename: string;
    state: string;
    /** For people: why it is not stored, or not yet. */
    error: string | null;
    /** The container to fetch it from; null: its bytes came with the answer. */
    container_id: string | null;
    container_file_id: string | null;
    /** As long as its container exists; null: its answer is still being generated. */
    fetch_until: string | null;
    created_at: string;
  };
  /** Mailed links. For each account and purpose only the newest is valid, once. */
  mailed_tokens: {
    id: GeneratedAlways<number>;
    user_id: number;
    purpose: string;
    token_hash: string;
    /** The address that using it confirms; null if the link was not mailed. For `new-address` the new address. */
    proves_email: string | null;
    created_at: string;
    used_at: string | null;
  };
  /** The files of a message in order. Their names remain when they are deleted. */
  message_files: {
    message_id: number;
    position: number;
    user_id: number;
    /** null: deleted. */
    file_id: number | null;
    filename: string;
    size: number;
    kind: string;
    media_type: string;
  };
  message_ratings: {
    message_id: number;
    user_id: number;
    value: string | null;
    correction: string | null;
    rated_at: string;
  };
  /** Summaries that models are sent instead of a message and all before it in its branch. */
  message_summaries: {
    message_id: number;
    user_id: number;
    thread_id: number;
    text: string;
    state: string;
    error: string | null;
    model: string;
    input_tokens: number;
    output_tokens: number;
    /** null: the price is not known. */
    cost_usd: number | null;
    created_at: string;
    /** When its owner changed the text. */
    edited_at: string | null;
  };
  messages: {
    id: GeneratedAlways<number>;
    user_id: number;
    thread_id: number;
    parent_id: number | null;
    /** The order of arrival in the thread. */
    position: number;
    /** The number of messages before it in its branch: a page of a branch is a range of depths. */
    depth: number;
    role: string;
    text: string;
    reasoning: string;
    client_id: string | null;
    created_at: string;
    /** Digest of the request that used the client id; null without one. */
    client_digest: string | null;
    /** A client's metadata, JSON. */
    metadata: string | null;
    /** Content beyond `text` and files: the order of parts, image URLs, the tools that files are for. JSON. */
    content: string | null;
    /** Among parallel answers: the one chosen to continue with. */
    chosen: Generated<number>;
    /** The import that brought it; null: written here. */
    import_id: number | null;
    /** Its id in the export. */
    source_id: string | null;
  };
  /** The models that a user marked, hid or chose last, as JSON lists of references. */
  model_choices: {
    user_id: number;
    favorites: string;
    hidden: string;
    /** The last chosen first. */
    recent: string;
  };
  /** Retirement notices sent to a user: how many days before. */
  model_end_mails: {
    user_id: number;
    model: string;
    step: number;
    shutdown_date: string;
    created_at: string;
  };
  /** When a key's list of models was last read, and from where. */
  model_lists: {
    user_id: number;
    base_url: string;
    asked_at: string;
  };
  moved_assistants: {
    move_id: number;
    assistant_id: number;
    user_id: number;
    version_before: number;
    version_after: number;
    /** The reasoning effort that the migration removed. */
    dropped_effort: string | null;
    version_undone: number | null;
  };
  /** USD per 1,000,000 tokens, as a user set them. */
  own_prices: {
    user_id: number;
    model: string;
    input: number;
    cached_input: number | null;
    output: number;
    set_at: string;
  };
  preferences: {
    user_id: number;
    theme: string;
    notifications_enabled: number;
    sound_enabled: number;
    custom_colors: number;
    background_color: string | null;
    foreground_color: string | null;
    primary_color: string | null;
    accent_color: string | null;
    card_color: string | null;
    /** 1: mails announce retiring models. */
    model_mails: Generated<number>;
    /** The model that names threads: null the cheapest, '' none, otherwise this one. */
    title_model: string | null;
  };
  /** Runs as clients see them: a chain of runs, identified by the first. */
  program_runs: {
    run_id: number;
    user_id: number;
    thread_id: number;
    access_token_id: number | null;
    /** The last run of the chain. */
    current_run_id: number;
    /** `as_current`: the state of the current run. `waiting`: for function outputs; no process owns it. */
    state: string;
    /** When it expires while waiting. */
    waits_until: string | null;
    /** Set if it ended otherwise than with its last run. */
    ended_at: string | null;
    /** The request's options, JSON. */
    options: string;
    metadata: string;
  };
  program_vector_store_batch_files: {
    batch_id: number;
    entry_id: number;
    user_id: number;
  };
  program_vector_store_batches: {
    id: GeneratedAlways<number>;
    user_id: number;
    store_id: number;
    created_at: string;
    cancelled_at: string | null;
  };
  program_vector_store_files: {
    id: GeneratedAlways<number>;
    user_id: number;
    store_id: number;
    file_id: number;
    /** JSON. */
    attributes: string;
    /** The provider has these attributes. */
    attributes_sent: Generated<number>;
    /** JSON; null: the provider's default chunking. */
    chunking: string | null;
    state: string;
    error: string | null;
    error_code: string | null;
    /** The provider's id of the file as added to the vector store. */
    indexed_file_id: string | null;
    usage_bytes: Generated<number>;
    added_at: string;
    /** When its state last changed; updates require the state that was read. */
    changed_at: string;
  };
  /** Settings of a vector store that a client created; an assistant’s store has none. */
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
  project_budgets: {
    id: GeneratedAlways<number>;
    user_id: number;
    project_id: number;
    amount_usd: number;
    warn_at: number;
    hard_stop: number;
    tz: string;
  };
  /** Searched in all conversations of the project. */
  project_files: {
    project_id: number;
    file_id: number;
    user_id: number;
    state: string;
    error: string | null;
    indexed_file_id: string | null;
    added_at: string;
    changed_at: string;
  };
  projects: {
    id: GeneratedAlways<number>;
    user_id: number;
    name: string;
    icon: string;
    color: string;
    instructions: string;
    /** Answers in its new conversations, or `model` does; both null: the default model. */
    assistant_id: number | null;
    model: string | null;
    archived_at: string | null;
    /** The vector store of its files, which may have been deleted; null: none so far. */
    store_id: number | null;
    created_at: string;
    updated_at: string;
    /** The import that brought it, and what it was there. */
    import_id: number | null;
    source_id: string | null;
  };
  /** Saved texts that users insert into their messages. */
  prompts: {
    id: GeneratedAlways<number>;
    user_id: number;
    /** Lower case, without the slash; unique for the user. */
    name: string;
    title: string;
    /** Name and title as they are searched. */
    search_key: string;
    text: string;
    /** SHA-256 of the text, by which an import finds what is there already. */
    text_hash: string;
    created_at: string;
    updated_at: string;
    used_at: string | null;
  };
  /** For the provider's own figures only. */
  provider_admin_keys: {
    user_id: number;
    sealed: string;
    last4: string;
    added_at: string;
    notice: string | null;
  };
  /** A file at the provider: one for each purpose. It outlives the file until it is deleted there. */
  provider_copies: {
    id: GeneratedAlways<number>;
    user_id: number;
    /** null: deleted here, to be deleted there. */
    file_id: number | null;
    filename: string;
    bytes: number;
    sha256: string;
    purpose: string;
    state: string;
    error: string | null;
    provider_file_id: string | null;
    /** When it was last sent without a conclusive response: it may exist. */
    sent_at: string | null;
    /** Attempts since a user last requested it. */
    tries: Generated<number>;
    /** The process that is sending it. */
    instance: number | null;
    created_at: string;
  };
  provider_keys: {
    user_id: number;
    sealed: string;
    last4: string;
    added_at: string;
    verified: number;
    notice: string | null;
  };
  /** The login at an OpenID Connect provider that a session came from, by which the provider can end it. */
  provider_sessions: {
    id: GeneratedAlways<number>;
    user_id: number;
    /** null: the second step has not been passed yet. */
    session_id: string | null;
    /** The sign-in challenge that is to become the session. */
    challenge_hash: string | null;
    provider: string;
    issuer: string;
    subject: string;
    sid: string | null;
    /** Sent back when signing out, encrypted; null: the provider has no page for that. */
    id_token_sealed: string | null;
    created_at: string;
  };
  provider_traits: {
    base_url: string;
    model: string;
    trait: string;
    value: string;
    learned_at: string;
    /** The number of keys that were rejected, at most 2. Like `ask_at` and `step`, null in rows of earlier versions. */
    askers: number | null;
    ask_at: string | null;
    /** How often the next try has been postponed. */
    step: number | null;
  };
  /** Messages that are sent when the answer being written has ended. Sending one deletes its row. */
  queued_messages: {
    id: GeneratedAlways<number>;
    user_id: number;
    thread_id: number;
    /** The lowest is sent first. */
    position: number;
    text: string;
    /** The attached files, JSON. */
    files: string;
    /** The models that answer side by side, JSON. */
    models: string;
    over_budget: number;
    /** Why it is not sent by itself; null: it is. */
    held: string | null;
    problem: string | null;
    /** 1: the answer before it is stopped in order to send it. */
    send_now: Generated<number>;
    client_id: string;
    client_digest: string;
    created_at: string;
  };
  /** `site` and `part` are digests; `ends_at` is in milliseconds of the database’s clock. */
  rate_counts: {
    site: string;
    part: string;
    used: number;
    ends_at: number;
  };
  /** Single-use codes. `selector` finds the row, `hash` is of the rest. */
  recovery_codes: {
    user_id: number;
    selector: string;
    hash: string;
    created_at: string;
    used_at: string | null;
  };
  /** Browsers that are not asked for the second factor. Forgotten with their session; null: it has expired. */
  remembered_devices: {
    token_hash: string;
    user_id: number;
    session_id: string | null;
    created_at: string;
    expires_at: string;
  };
  response_items: {
    id: GeneratedAlways<number>;
    user_id: number;
    response_id: number;
    direction: string;
    /** The id that clients see. */
    item_id: string;
    /** JSON. */
    item: string;
  };
  /** Responses that clients have requested. */
  responses: {
    id: GeneratedAlways<number>;
    user_id: number;
    access_token_id: number | null;
    assistant_id: number | null;
    /** As the client named it: a model or an assistant. */
    model: string;
    /** The response it continues; the number remains when that one is deleted. */
    previous_id: number | null;
    state: string;
    background: number;
    /** JSON, without items and state. */
    fields: string;
    /** JSON. */
    error: string | null;
    bytes: number;
    /** Its row in api_calls while it is running. */
    call_id: number | null;
    cancel_requested_at: string | null;
    created_at: string;
    expires_at: string;
  };
  /** The events of running runs, in batches; merged into the message when the run ends. */
  run_events: {
    run_id: number;
    first_event: number;
    last_event: number;
    events: string;
  };
  runs: {
    id: GeneratedAlways<number>;
    user_id: number;
    thread_id: number;
    message_id: number;
    assistant_id: number | null;
    /** Empty until it is decided which model answers. */
    model: string;
    /** `waiting`: until a user approves a tool call; no process owns it. */
    state: string;
    /** The process that executes it, or did so last. */
    instance: number;
    stop_requested: Generated<number>;
    /** The number of the last stored event. */
    last_event: Generated<number>;
    /** How the finished texts fall into numbered events, see features/chat/runs/events/event-log.ts; null while it runs. */
    event_marks: string | null;
    finish_reason: string | null;
    error: string | null;
    notes: Generated<string>;
    created_at: string;
    finished_at: string | null;
    /** The names of the assistant's files that the answer cites, a JSON list. */
    sources: Generated<string>;
    /** How many answers to the same question were requested before it, in the same call. */
    beside: Generated<number>;
    /** For an API run: the first run of its chain. */
    program_run_id: number | null;
    /** The JSON schema that the answer was requested with. */
    response_schema: string | null;
    /** The state from which any process continues an answer with tool calls, JSON. */
    tool_loop: string | null;
    /** When waiting times out; then the run is ended. */
    waits_until: string | null;
    /** The assistant's version number; null: no assistant, or from before versions existed. */
    assistant_version: number | null;
    /** The step at which it last continued an answer that had ended early; null: never. */
    continued_step: number | null;
    /** The client id of the call that asked for it. */
    continue_client_id: string | null;
    continue_digest: string | null;
    /** Total reasoning time in milliseconds; null: none, or not measured. */
    thought_ms: number | null;
  };
  schema_migrations: {
    name: string;
    checksum: string;
    applied_at: string;
  };
  /** An account that a directory maintains by SCIM. */
  scim_users: {
    user_id: number;
    user_name: string;
    /** In one form, so that names are found in any letters. */
    user_name_key: string;
    /** The directory’s own id. */
    external_id: string | null;
    /** The parts of the name as the directory sent them. */
    display_name: string | null;
    given_name: string | null;
    family_name: string | null;
    created_at: string;
    updated_at: string;
  };
  /** Authenticator apps and passkeys; the columns of the other kind are null. */
  second_factors: {
    id: GeneratedAlways<number>;
    user_id: number;
    kind: string;
    name: string;
    /** An app’s secret, encrypted. */
    secret: string | null;
    /** The time step of the app’s last accepted code, which is accepted once. */
    last_step: number | null;
    credential_id: string | null;
    public_key: string | null;
    counter: number | null;
    /** JSON array. */
    transports: string | null;
    device_type: string | null;
    backed_up: number | null;
    created_at: string;
    last_used_at: string | null;
  };
  security_events: {
    id: GeneratedAlways<number>;
    user_id: number | null;
    event: string;
    done_by: string;
    user_agent: string | null;
    ip_address: string | null;
    detail: string | null;
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
    /** When the user last confirmed their identity in this session; null: at its start. */
    confirmed_at: string | null;
    /** How the second factor was passed; null: none was asked for. */
    second_factor: string | null;
  };
  settings: {
    name: string;
    value: string;
  };
  /** A sign-in that waits for its second step, bound to one browser by its cookie. */
  sign_in_challenges: {
    id_hash: string;
    user_id: number;
    /** The first step, for people: 'Password', 'Google'. */
    method: string;
    return_path: string;
    attempts: Generated<number>;
    created_at: string;
  };
  /** A pending sign-in at a login provider, bound to one browser by its cookie; single use. */
  sign_in_flows: {
    id_hash: string;
    provider: string;
    state: string;
    nonce: string;
    code_verifier: string;
    return_path: string;
    /** The signed-in account that it connects to, and the session in which it started; null for a sign-in. */
    user_id: number | null;
    session_id: string | null;
    created_at: string;
    /** The token hash of the invitation that it accepts; null: none. */
    invitation_hash: string | null;
  };
  test_questions: {
    id: GeneratedAlways<number>;
    user_id: number;
    set_id: number;
    position: number;
    source: string;
    /** JSON: the thread up to the question, the question last. */
    turns: string;
    expected: string | null;
  };
  test_sets: {
    id: GeneratedAlways<number>;
    user_id: number;
    assistant_id: number;
    name: string;
    created_at: string;
    updated_at: string;
  };
  /** The tools that a user has approved for later calls in a thread, as they were then. */
  thread_approvals: {
    thread_id: number;
    user_id: number;
    server_id: number;
    tool: string;
    digest: string;
    /** `thread`: for all later calls. `once`: one call was approved, which suffices for a tool that asks once. */
    given: string;
  };
  threads: {
    id: GeneratedAlways<number>;
    user_id: number;
    title: string;
    /** `opening`: cut from the first message; `suggested`: by the model; `chosen`: by its owner. */
    title_source: string;
    assistant_id: number | null;
    pinned: number;
    archived: number;
    /** The last message of the shown branch. */
    head_message_id: number | null;
    next_position: Generated<number>;
    created_at: string;
    updated_at: string;
    /** `chat`: in lists, searches, exports and the API; all others are in none of them. `temporary`: can be opened until it expires. `trash`: can be restored. `discarded`: about to be deleted for good. */
    purpose: Generated<string>;
    /** The model that answers without an assistant; null: the default model. */
    model: string | null;
    /** The token it was created with; null: created by its owner, or the token is deleted. */
    access_token_id: number | null;
    /** A client's metadata, JSON. */
    metadata: string | null;
    /** Resources of its tools, as a client named them, JSON. */
    tool_resources: string | null;
    /** The thread's own tool switches, JSON; null: none. */
    tools: string | null;
    /** For a temporary one. */
    expires_at: string | null;
    /** For one in the trash, or about to be deleted for good. */
    deleted_at: string | null;
    /** The import that brought it, without a foreign key: imports stay as long as the account. */
    import_id: number | null;
    /** Source and id in the export; null: not imported. */
    source_id: string | null;
    /** null: in no project. */
    project_id: number | null;
    /** For a temporary one that tries unsaved settings of an assistant: the settings, JSON. */
    trial_settings: string | null;
  };
  /** The calls of a model in an answer, in order. */
  tool_calls: {
    run_id: number;
    position: number;
    user_id: number;
    message_id: number;
    kind: string;
    call_id: string;
    name: string;
    input: string;
    /** null: no output yet. */
    output: string | null;
    title: Generated<string>;
    server: string | null;
    state: Generated<string>;
    /** The length of the answer's text before it. */
    text_at: Generated<number>;
    /** The step of its answer. */
    step: Generated<number>;
    /** For a connected tool, as of the time of the call. */
    server_id: number | null;
    tool: string | null;
    digest: string | null;
    /** null: the user has not decided yet. */
    decision: string | null;
    reason: string | null;
    /** 1: it may be called again if its outcome is unknown. */
    may_repeat: Generated<number>;
    /** Fields that the provider wants back with it, JSON. */
    echo: string | null;
  };
  /** The text of an OpenAPI description and, for any server, the tools that are not offered. */
  tool_server_descriptions: {
    server_id: number;
    user_id: number;
    /** The pasted text; null: it is fetched from a URL. */
    text: string | null;
    /** JSON: the first of the tools or operations that are not offered, with reasons. */
    left_out: string;
    left_out_count: number;
    /** JSON: the operations in the description; null: not read since Roster stores them, or no description. */
    operations: string | null;
    /** JSON: the operations that become tools; null: the first ones. */
    chosen: string | null;
  };
  /** Pending sign-ins at tool servers. */
  tool_server_flows: {
    state_hash: string;
    server_id: number;
    user_id: number;
    /** The session in which it started. */
    session_id: string;
    sealed: string;
    created_at: string;
  };
  /** Credentials of each user at a tool server. */
  tool_server_sign_ins: {
    server_id: number;
    user_id: number;
    /** Roster's client registration there for this user, encrypted. */
    client_sealed: string | null;
    /** The tokens with the resource they are valid for, encrypted; null: not signed in. */
    tokens_sealed: string | null;
    expires_at: string | null;
    signed_in_at: string | null;
    /** Why the last attempt failed. */
    notice: string | null;
    /** Incremented with new tokens: work that started with earlier ones does not count. */
    version: number;
    /** Until then only one process may renew the tokens. */
    renewed_until: string | null;
  };
  /** As of the last successful discovery. */
  tool_server_tools: {
    server_id: number;
    name: string;
    user_id: number;
    position: number;
    title: string;
    description: string;
    /** JSON. */
    input_schema: string;
    is_read_only: number;
    may_repeat: number;
    digest: string;
    /** JSON: how to call it, for an operation of an OpenAPI description. */
    operation: string | null;
    /** JSON: the input schema in the form that providers accept; null: discovered before Roster converted it. */
    model_schema: string | null;
  };
  tool_servers: {
    id: GeneratedAlways<number>;
    user_id: number;
    name: string;
    kind: string;
    url: string;
    auth_type: string;
    /** For a header its name; for a sign-in the client ID that the user entered. */
    auth_name: string | null;
    /** The header's value or the client's secret, with the origin that it belongs to, encrypted. */
    auth_sealed: string | null;
    auth_last4: string | null;
    is_offered: number;
    is_on: number;
    state: string;
    notice: string | null;
    looked_at: string | null;
    /** Incremented with each requested discovery: results of earlier ones are discarded. */
    look: number;
    created_at: string;
    /** For the kind `openapi`; null: the text was pasted. */
    description_url: string | null;
    /** For the kind `openapi`: the owner's override of the address in the description. */
    base_url: string | null;
  };
  /** An authenticator app that no code has confirmed yet. */
  totp_setups: {
    user_id: number;
    secret: string;
    created_at: string;
  };
  /** Sums of usage_records, updated in the transaction that writes the record. `cost_usd` excludes unpriced requests. */
  usage_by_day: {
    requests: number;
    input_tokens: number;
    cached_tokens: number;
    output_tokens: number;
    reasoning_tokens: number;
    cost_usd: number;
    unpriced_requests: number;
    estimated_requests: number;
    user_id: number;
    /** YYYY-MM-DD in UTC. */
    day: string;
    /** A model, `tool:` and a tool, or `training:` and the base model of fine-tuning jobs. */
    model: string;
    /** 0: none. */
    assistant_id: number;
  };
  usage_by_quarter: {
    requests: number;
    input_tokens: number;
    cached_tokens: number;
    output_tokens: number;
    reasoning_tokens: number;
    cost_usd: number;
    unpriced_requests: number;
    estimated_requests: number;
    user_id: number;
    /** The start of a quarter of an hour: YYYY-MM-DDTHH:MM in UTC. */
    quarter: string;
  };
  /** For clients' calls only. */
  usage_by_token: {
    requests: number;
    input_tokens: number;
    cached_tokens: number;
    output_tokens: number;
    reasoning_tokens: number;
    cost_usd: number;
    unpriced_requests: number;
    estimated_requests: number;
    user_id: number;
    /** YYYY-MM-DD in UTC. */
    day: string;
    access_token_id: number;
  };
  usage_records: {
    id: GeneratedAlways<number>;
    user_id: number;
    run_id: number | null;
    thread_id: number | null;
    assistant_id: number | null;
    /** `tool_step`: each request but the last of an answer with tool calls. `continuation`: asks for the rest of an answer that ended early. `tool`: a call that the provider ran; `model` is its name for the tool. `training`: a fine-tuning job; `model` is its base model. */
    purpose: string;
    model: string;
    input_tokens: number;
    cached_tokens: number;
    cache_write_tokens: number;
    output_tokens: number;
    reasoning_tokens: number;
    cost_usd: number | null;
    /** The date of the price that was used. */
    price_as_of: string | null;
    estimated: number;
    /** YYYY-MM-DD in UTC. */
    day: string;
    created_at: string;
    /** For a fine-tuning job. */
    job_id: number | null;
    /** For the prompts of a comparison. */
    comparison_id: number | null;
    /** For a client's call. */
    access_token_id: number | null;
    /** For a step, instead of `run_id`: the run and the number of the request. For a tool call: the run and the call. */
    step_of: number | null;
    step: number | null;
    call_id: string | null;
    /** The tier that answered; null: the standard tier. */
    service_tier: string | null;
    /** 1: of a temporary thread. */
    temporary: Generated<number>;
  };
  users: {
    id: GeneratedAlways<number>;
    email: string;
    name: string | null;
    role: string;
    status: string;
    password_hash: string | null;
    email_verified_at: string | null;
    /** Consecutive wrong passwords since the last success. */
    failed_sign_ins: Generated<number>;
    created_at: string;
    /** When a session of the user was last active; null: never. Remains when sessions end. */
    last_active_at: string | null;
    /** An IANA name, as a browser last named it; null: unknown. */
    time_zone: string | null;
    /** A BCP 47 tag, as a browser last named it; null: unknown. */
    language: string | null;
  };
  vector_stores: {
    id: GeneratedAlways<number>;
    user_id: number;
    /** null: a client’s store, or the assistant is deleted and the store is to be deleted at the provider. */
    assistant_id: number | null;
    /** Sent to the provider, so that a store whose creation got no response is found again. */
    token: string;
    sent_at: string | null;
    provider_store_id: string | null;
    /** `expired`: to be deleted at the provider, but still visible to a client. */
    state: string;
    error: string | null;
    /** The process that is working on it. */
    instance: number | null;
    created_at: string;
  };
  /** A challenge of a passkey, bound to one browser by its cookie; single use. */
  webauthn_challenges: {
    id_hash: string;
    user_id: number | null;
    purpose: string;
    challenge: string;
    created_at: string;
  };
};
