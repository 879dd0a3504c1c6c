// Made by scripts/generate-db.ts from migrations/. Do not edit.
import type { ColumnType, GeneratedAlways } from 'kysely';

/** Has a default. */
export type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>;
/** Read as a value; written as JSON text. */
export type Json = ColumnType<unknown, string, string>;
export type Numeric = ColumnType<string, string | number, string | number>;
export type Timestamp = ColumnType<Date, Date | string, Date | string>;

export interface ActivityDefinitionTable {
  tenant_id: string;
  activity_key: string;
  definition_key: string;
  position: number;
  activity: string;
}

export interface ApiKeyTable {
  key_id: string;
  tenant_id: string | null;
  name: string;
  secret_hash: string;
  scopes: string[];
  created_at: Timestamp;
  expires_at: Timestamp | null;
  last_used_at: Timestamp | null;
  revoked_at: Timestamp | null;
}

export interface AttemptTable {
  tenant_id: string;
  enroll_id: string;
  tree_state: string | null;
  last_unit_id: string | null;
  root: Json | null;
  launch: Generated<number>;
  commit_number: Generated<number>;
  shared: string | null;
}

export interface AttemptUnitTable {
  tenant_id: string;
  enroll_id: string;
  unit_id: string;
  commit_number: number;
  data: Json;
  evidence: Json;
  updated_at: Timestamp;
  launch: Generated<number>;
  bytes: Generated<number>;
}

export interface AuSessionTable {
  tenant_id: string;
  enroll_id: string;
  session_id: string;
  unit_id: string;
  launch: number;
  mode: string;
  token_hash: string | null;
  prepared: Generated<boolean>;
  verbs: Generated<string[]>;
  opened_at: Timestamp;
  last_statement_at: Timestamp | null;
  ended_at: Timestamp | null;
  ended_by: string | null;
}

export interface AuditChainTable {
  tenant_id: string;
  number: number;
  at: Timestamp;
  hash: string;
  seal: string;
  failures: Generated<number>;
  failures_from: Timestamp | null;
}

export interface AuditEntryTable {
  tenant_id: string;
  audit_id: string;
  number: number;
  at: Timestamp;
  action: string;
  actor: string;
  actor_id: string | null;
  actor_user_id: string | null;
  address: string | null;
  request_id: string | null;
  target: string | null;
  target_id: string | null;
  event_id: string | null;
  data: Json;
  hash: string;
  seal: string;
}

export interface CompletionDayTable {
  tenant_id: string;
  kind: string;
  course_id: string;
  group_name: string;
  day: string;
  enrolled: number;
  in_progress: number;
  completed: number;
  expired: number;
  withdrawn: number;
  passed: number;
  failed: number;
}

export interface CompletionLineTable {
  tenant_id: string;
  kind: string;
  course_id: string;
  group_name: string;
}

export interface CompletionLogTable {
  tenant_id: string;
  position: number;
  enroll_id: string | null;
}

export interface CountedEnrolmentTable {
  tenant_id: string;
  enroll_id: string;
  group_name: string;
  status: string;
  success: string;
}

export interface CountedLogTable {
  tenant_id: string;
  epoch: number | null;
  transaction: string | null;
  event_id: string | null;
  position: number | null;
}

export interface CourseTable {
  course_id: string;
  title: string;
  description: string | null;
  language: string | null;
  image_url: string | null;
  url: string | null;
  status: Generated<'draft' | 'published' | 'retired'>;
  tenants: string[] | null;
  release_id: string | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface DayCountTable {
  tenant_id: string;
  day: string;
  enrolments: number;
  starts: number;
  completions: number;
}

export interface EarlierAttemptTable {
  tenant_id: string;
  enroll_id: string;
  number: number;
  release_id: string | null;
  first_launch: number;
  last_launch: number;
  finished_at: Timestamp | null;
  ended_at: Timestamp;
  ended_by: string;
  reason: string | null;
  discarded: Generated<boolean>;
  result: Json;
  kept_bytes: Generated<number>;
}

export interface EarlierUnitTable {
  tenant_id: string;
  enroll_id: string;
  number: number;
  unit_id: string;
  launch: number;
  commit_number: number;
  data: Json;
  bytes: number;
  evidence: Json;
  updated_at: Timestamp;
}

export interface EnrolOptionTable {
  course_id: string;
  duration_id: string;
  name: string;
  duration: string | null;
  starts_on: Generated<'enrolment' | 'launch'>;
  seats: number | null;
  groups: string[] | null;
  price_amount: string | null;
  price_currency: string | null;
  status: Generated<'draft' | 'published' | 'retired'>;
  created_at: Timestamp;
  updated_at: Timestamp;
  seats_taken: Generated<number>;
  attempts: Json | null;
}

export interface EnrolmentTable {
  tenant_id: string;
  enroll_id: string;
  user_id: string | null;
  course_id: string;
  duration_id: string;
  release_id: string | null;
  status: Generated<'enrolled' | 'in_progress' | 'completed' | 'expired' | 'withdrawn'>;
  status_before_end: 'enrolled' | 'in_progress' | 'completed' | null;
  completion: Generated<'unknown' | 'incomplete' | 'completed'>;
  success: Generated<'unknown' | 'passed' | 'failed'>;
  score: number | null;
  progress: Generated<number>;
  total_seconds: Generated<number>;
  override: Json | null;
  duration: string | null;
  starts_on: string;
  enrolled_at: Timestamp;
  started_at: Timestamp | null;
  last_accessed_at: Timestamp | null;
  completed_at: Timestamp | null;
  expires_at: Timestamp | null;
  ended_at: Timestamp | null;
  changed_at: Timestamp;
  launches: Generated<number>;
  commits: Generated<number>;
  revision: Generated<number>;
  reference: string | null;
  metadata: Generated<Json>;
  holds_seat: Generated<boolean>;
  group_name: string | null;
  au_bytes: Generated<number>;
  attempt_rules: Json | null;
  attempt_number: Generated<number>;
  attempt_launch: Generated<number>;
  attempt_state: Json | null;
  end_set_at: Timestamp | null;
}

export interface EnrolmentKeyTable {
  tenant_id: string;
  key_id: string;
  key_hash: string;
  key_start: string;
  course_ids: string[];
  duration_ids: string[];
  user_id: string | null;
  group_name: string | null;
  purchase_order: string | null;
  valid_from: Timestamp;
  valid_until: Timestamp;
  created_at: Timestamp;
  revoked_at: Timestamp | null;
  redeemed_at: Timestamp | null;
  redeemed_by: string | null;
  enroll_ids: string[] | null;
}

export interface ErasureTable {
  tenant_id: string;
  erasure_id: string;
  login_mark: string;
  receipt: Json;
  erased_at: Timestamp;
}

export interface ErasureEnrolmentTable {
  tenant_id: string;
  erasure_id: string;
  enroll_id: string;
}

export interface ErasureUnderWayTable {
  tenant_id: string;
  erasure_id: string;
  user_id: string;
  progress: Json;
}

export interface EventTable {
  tenant_id: string;
  event_id: string;
  transaction: string | null;
  type: string;
  occurred_at: Timestamp;
  user_id: string | null;
  enroll_id: string | null;
  course_id: string | null;
  data: Json;
  epoch: number | null;
  position: number | null;
}

export interface EventLogTable {
  tenant_id: string;
  position: number;
}

export interface InvitationTable {
  tenant_id: string;
  user_id: string;
  invitation_id: string;
  link_hashes: string[];
  scopes: string[] | null;
  created_at: Timestamp;
  expires_at: Timestamp;
  accepted_at: Timestamp | null;
  revoked_at: Timestamp | null;
}

export interface KeyGuessTable {
  tenant_id: string;
  user_id: string;
  guessed_at: Generated<Date[]>;
}

export interface LaunchTable {
  tenant_id: string;
  enroll_id: string;
  number: number;
  started_at: Timestamp;
  last_seen_at: Timestamp;
  ended_at: Timestamp | null;
  return_url: string | null;
  user_agent: string | null;
  exit_number: number | null;
  launch_id: string | null;
}

export interface MailTable {
  tenant_id: string;
  mail_id: string;
  user_id: string;
  kind: string;
  urgent: Generated<boolean>;
  address: string;
  content: string | null;
  status: Generated<string>;
  attempts: Generated<number>;
  answer: string | null;
  created_at: Timestamp;
  expires_at: Timestamp;
  due_at: Timestamp;
  attempted_at: Timestamp | null;
}

export interface MailQueueTable {
  tenant_id: string;
  urgent: Generated<boolean>;
  wake_at: Timestamp | null;
  hour_began_at: Timestamp | null;
  sent: Generated<number>;
}

export interface MailRecipientTable {
  address_mark: string;
  urgent: boolean;
  hour_began_at: Timestamp;
  sent: number;
}

export interface OperatorSessionTable {
  session_hash: string;
  signed_in_at: Timestamp;
  last_seen_at: Timestamp;
  expires_at: Timestamp;
  ended_at: Timestamp | null;
  user_agent: string | null;
}

export interface PasswordFailureTable {
  tenant_id: string;
  user_id: string;
  failed_at: Date[];
}

export interface PasswordResetTable {
  tenant_id: string;
  link_hash: string;
  user_id: string;
  created_at: Timestamp;
  expires_at: Timestamp;
}

export interface RateWindowTable {
  key_id: string;
  starts_at: Timestamp;
  used: number;
}

export interface ReleaseTable {
  release_id: string;
  course_id: string;
  number: number;
  standard: string;
  title: string;
  tree: Json;
  warnings: Json;
  files: number;
  bytes: number;
  sha256: string;
  created_at: Timestamp;
}

export interface ReminderProgressTable {
  tenant_id: string;
  days: number;
  ends_at: Timestamp;
  enroll_id: string;
}

export interface RunTimeCommitTable {
  tenant_id: string;
  enroll_id: string;
  number: number;
  launch: number;
  unit_id: string;
  evidence: Json;
  warnings: string[] | null;
  committed_at: Timestamp;
  refused: string | null;
  body_hash: string | null;
  claimed: Json | null;
}

export interface ScheduledJobTable {
  name: string;
  due: Timestamp;
  runs: Generated<number>;
}

export interface SettingTable {
  name: string;
  value: string;
}

export interface SignInGuessTable {
  name_mark: string;
  guessed_at: Date[];
  expires_at: Timestamp;
}

export interface SignInLinkTable {
  tenant_id: string;
  link_hash: string;
  user_id: string;
  path: string;
  created_at: Timestamp;
  expires_at: Timestamp;
  used_at: Timestamp | null;
  scopes: string[] | null;
}

export interface StatementTable {
  tenant_id: string;
  statement_id: string;
  position: number;
  payload: string;
  bytes: number;
  keys: string[];
  refers_to: string | null;
  voids: Generated<boolean>;
}

export interface StatementAttachmentTable {
  tenant_id: string;
  statement_id: string;
  sha2: string;
  content_type: string;
  content: Buffer;
}

export interface StatementLogTable {
  tenant_id: string;
  position: number;
  event_position: number | null;
}

export interface StatementMatchTable {
  tenant_id: string;
  key: string;
  position: number;
  source: number;
}

export interface StoredAnswerTable {
  tenant_id: string;
  key_hash: Buffer;
  request_hash: Buffer;
  expires_at: Timestamp;
  answer: Buffer | null;
  about: string | null;
}

export interface TenantTable {
  tenant_id: string;
  name: string;
  password_hash: Generated<string>;
  return_origins: string[] | null;
  frame_origins: string[] | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  status: Generated<'active' | 'suspended' | 'deleting'>;
  resumed_at: Timestamp | null;
  deletion: Json | null;
  language: Generated<string>;
  reminder_days: Generated<number[]>;
}

export interface UserTable {
  tenant_id: string;
  user_id: string;
  login_id: string;
  first_name: string | null;
  last_name: string | null;
  group_name: string | null;
  email: string | null;
  is_admin: Generated<boolean>;
  register: Generated<boolean>;
  enabled: Generated<boolean>;
  password_hash: string;
  created_at: Timestamp;
  updated_at: Timestamp;
  admin_scopes: string[] | null;
  password_changed_at: Timestamp | null;
  password_changed_in: string | null;
  password_chosen: Generated<boolean>;
}

export interface UserSessionTable {
  tenant_id: string;
  session_hash: string;
  user_id: string;
  signed_in_at: Timestamp;
  last_seen_at: Timestamp;
  expires_at: Timestamp;
  ended_at: Timestamp | null;
  user_agent: string | null;
  scopes: string[] | null;
}

export interface UserWordTable {
  tenant_id: string;
  word: string;
  user_id: string;
  words: string;
}

export interface UserWordFillTable {
  tenant_id: string;
  position: string;
}

export interface VoidedStatementTable {
  tenant_id: string;
  position: number;
}

export interface WebhookTable {
  tenant_id: string;
  webhook_id: string;
  url: string;
  description: string | null;
  types: string[] | null;
  status: Generated<'enabled' | 'disabled'>;
  disabled_reason: 'failing' | 'client' | null;
  secret: string;
  previous_secret: string | null;
  previous_secret_until: Timestamp | null;
  epoch: number | null;
  transaction: string | null;
  event_id: string | null;
  failing_since: Timestamp | null;
  owner: string | null;
  owned_until: Timestamp | null;
  wake_at: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  enabled_at: Timestamp | null;
  position: number | null;
  kind: Generated<'events' | 'xapi'>;
  username: string | null;
  password: string | null;
}

export interface WebhookDeliveryTable {
  tenant_id: string;
  webhook_id: string;
  delivery_id: string;
  number: GeneratedAlways<number>;
  event_id: string;
  type: string;
  lane: string;
  reason: 'event' | 'replay' | 'ping';
  status: Generated<'pending' | 'delivered' | 'failed'>;
  attempts: Generated<number>;
  created_at: Timestamp;
  first_attempt_at: Timestamp | null;
  attempted_at: Timestamp | null;
  next_attempt_at: Timestamp | null;
  url: string | null;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
  milliseconds: number | null;
  person_erased: Generated<boolean>;
  statement_ids: string[] | null;
}

export interface XapiDocumentTable {
  tenant_id: string;
  kind: string;
  agent_key: string;
  activity_key: string;
  registration: string;
  document_key: string;
  document_id: string;
  content_type: string;
  content: Buffer;
  etag: string;
  updated_at: Timestamp;
  about: string;
}

export interface Schema {
  activity_definition: ActivityDefinitionTable;
  api_key: ApiKeyTable;
  attempt: AttemptTable;
  attempt_unit: AttemptUnitTable;
  au_session: AuSessionTable;
  audit_chain: AuditChainTable;
  audit_entry: AuditEntryTable;
  completion_day: CompletionDayTable;
  completion_line: CompletionLineTable;
  completion_log: CompletionLogTable;
  counted_enrolment: CountedEnrolmentTable;
  counted_log: CountedLogTable;
  course: CourseTable;
  day_count: DayCountTable;
  earlier_attempt: EarlierAttemptTable;
  earlier_unit: EarlierUnitTable;
  enrol_option: EnrolOptionTable;
  enrolment: EnrolmentTable;
  enrolment_key: EnrolmentKeyTable;
  erasure: ErasureTable;
  erasure_enrolment: ErasureEnrolmentTable;
  erasure_under_way: ErasureUnderWayTable;
  event: EventTable;
  event_log: EventLogTable;
  invitation: InvitationTable;
  key_guess: KeyGuessTable;
  launch: LaunchTable;
  mail: MailTable;
  mail_queue: MailQueueTable;
  mail_recipient: MailRecipientTable;
  operator_session: OperatorSessionTable;
  password_failure: PasswordFailureTable;
  password_reset: PasswordResetTable;
  rate_window: RateWindowTable;
  release: ReleaseTable;
  reminder_progress: ReminderProgressTable;
  run_time_commit: RunTimeCommitTable;
  scheduled_job: ScheduledJobTable;
  setting: SettingTable;
  sign_in_guess: SignInGuessTable;
  sign_in_link: SignInLinkTable;
  statement: StatementTable;
  statement_attachment: StatementAttachmentTable;
  statement_log: StatementLogTable;
  statement_match: StatementMatchTable;
  stored_answer: StoredAnswerTable;
  tenant: TenantTable;
  user: UserTable;
  user_session: UserSessionTable;
  user_word: UserWordTable;
  user_word_fill: UserWordFillTable;
  voided_statement: VoidedStatementTable;
  webhook: WebhookTable;
  webhook_delivery: WebhookDeliveryTable;
  xapi_document: XapiDocumentTable;
}

/** Every statement on these must name its tenant: see tenant-guard.ts. */
export const tenantTables = [
  'activity_definition',
  'attempt',
  'attempt_unit',
  'au_session',
  'audit_chain',
  'audit_entry',
  'completion_day',
  'completion_line',
  'completion_log',
  'counted_enrolment',
  'counted_log',
  'day_count',
  'earlier_attempt',
  'earlier_unit',
  'enrolment',
  'enrolment_key',
  'erasure',
  'erasure_enrolment',
  'erasure_under_way',
  'event',
  'event_log',
  'invitation',
  'key_guess',
  'launch',
  'mail',
  'mail_queue',
  'password_failure',
  'password_reset',
  'reminder_progress',
  'run_time_commit',
  'sign_in_link',
  'statement',
  'statement_attachment',
  'statement_log',
  'statement_match',
  'stored_answer',
  'user',
  'user_session',
  'user_word',
  'user_word_fill',
  'voided_statement',
  'webhook',
  'webhook_delivery',
  'xapi_document',
] as const;
