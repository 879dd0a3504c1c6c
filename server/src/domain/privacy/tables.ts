export type TenantDataTable = {
  table: string;
  /** The rest of its primary key, after `tenant_id`. */
  key: readonly string[];
  what: string;
  /** SQL on `held` for the size of a row, if courses or clients can store a lot of data in it. */
  bytes?: string;
  /** Columns that an export leaves out. */
  secrets?: readonly string[];
  /** Why an export omits the table. */
  notExported?: string;
};

/** All tables with a tenant's data, in deletion order: rows are deleted before the rows that they refer to. */
export const tenantTables: readonly TenantDataTable[] = [
  { table: 'webhook_delivery', key: ['webhook_id', 'delivery_id'], what: 'Webhook deliveries' },
  {
    table: 'webhook',
    key: ['webhook_id'],
    what: 'Webhook endpoints and their secrets',
    secrets: ['secret', 'previous_secret', 'password'],
  },
  { table: 'key_guess', key: ['user_id'], what: 'Attempts with unknown enrolment keys' },
  { table: 'password_failure', key: ['user_id'], what: 'Wrong passwords from the last 15 minutes' },
  { table: 'lti_launch', key: ['platform_id', 'launch_id'], what: 'Launches from learning platforms' },
  { table: 'dispatch_learner', key: ['dispatch_id', 'user_id'], what: 'Learners of dispatches' },
  { table: 'dispatch', key: ['dispatch_id'], what: 'Dispatches' },
  { table: 'lti_score', key: ['link_id'], what: 'Scores sent to learning platforms' },
  {
    table: 'lti_link',
    key: ['enroll_id', 'platform_id', 'resource_link_id'],
    what: 'Places in learning platforms from which courses were opened',
  },
  {
    table: 'lti_nonce',
    key: ['nonce'],
    what: 'Used nonces of learning platforms and tools',
    notExported: 'They are random, and are kept for an hour.',
  },
  {
    table: 'lti_deployment',
    key: ['platform_id', 'deployment_id'],
    what: 'Deployments of learning platforms',
  },
  { table: 'lti_tool', key: ['course_id'], what: 'Courses that are tools (LTI)' },
  {
    table: 'lti_member',
    key: ['platform_id', 'context_id', 'login_id'],
    what: 'Members of courses in learning platforms',
  },
  { table: 'lti_context', key: ['platform_id', 'context_id'], what: 'Courses in learning platforms' },
  { table: 'lti_platform', key: ['platform_id'], what: 'Learning platforms' },
  { table: 'mail', key: ['mail_id'], what: 'Emails', secrets: ['content'] },
  { table: 'report_recipient', key: ['schedule_id', 'user_id'], what: 'Recipients of scheduled reports' },
  { table: 'report_schedule', key: ['schedule_id'], what: 'Scheduled reports' },
  {
    table: 'mail_queue',
    key: ['urgent'],
    what: 'When the next email is due',
    notExported: 'The emails include these times.',
  },
  { table: 'reminder', key: ['day', 'user_id'], what: 'Reminders' },
  {
    table: 'reminder_log',
    key: [],
    what: 'Progress of the reminders',
    notExported: 'The reminders include the days.',
  },
  { table: 'reminder_text', key: ['language'], what: 'Words of reminders' },
  { table: 'invitation', key: ['user_id'], what: 'Invitations', secrets: ['link_hashes'] },
  { table: 'password_reset', key: ['link_hash'], what: 'Links to reset passwords', secrets: ['link_hash'] },
  { table: 'sign_in_link', key: ['link_hash'], what: 'Sign-in links', secrets: ['link_hash'] },
  {
    table: 'user_session',
    key: ['session_hash'],
    what: 'Browser sessions',
    secrets: ['session_hash', 'challenge_hash'],
  },
  { table: 'passkey', key: ['user_id', 'passkey_id'], what: "Administrators' passkeys (public keys)" },
  { table: 'provisioning_log', key: ['entry_id'], what: "Requests of the tenant's directory" },
  { table: 'scim_user', key: ['user_id'], what: 'Users in the directory' },
  { table: 'scim_group', key: ['group_id'], what: 'Groups in the directory' },
  { table: 'provisioning', key: [], what: 'Settings of provisioning' },
  { table: 'user_identity', key: ['issuer', 'subject'], what: "Users' accounts at identity providers" },
  {
    table: 'identity_provider',
    key: ['provider_id'],
    what: 'Identity providers',
    secrets: ['client_secret'],
  },
  { table: 'import_row', key: ['import_id', 'line'], what: 'Rows of imports' },
  { table: 'import', key: ['import_id'], what: 'Imports' },
  { table: 'legal_hold', key: ['placement_id'], what: 'Legal holds' },
  {
    table: 'retained_record',
    key: ['record_id'],
    what: 'Evidence about erased people, whose retention has not ended',
  },
  { table: 'wallet_offer', key: ['certificate_id'], what: 'Offers to wallets', secrets: ['code_hash'] },
  { table: 'certificate', key: ['certificate_id'], what: 'Certificates' },
  {
    table: 'certificate_image',
    key: ['name'],
    what: 'Logos on certificates',
    bytes: 'octet_length(held.content)',
  },
  { table: 'certificate_template', key: ['course_id'], what: 'Templates of certificates' },
  { table: 'obligation', key: ['obligation_id'], what: 'Obligations' },
  {
    table: 'obligation_count',
    key: ['kind', 'name', 'requirement_id'],
    what: 'Figures of the compliance report',
    notExported: 'They are derived from the obligations.',
  },
  { table: 'requirement', key: ['requirement_id'], what: 'Requirements' },
  {
    table: 'requirement_log',
    key: [],
    what: 'Progress of the evaluation of obligations',
    notExported: 'It is derived from the events.',
  },
  { table: 'external_completion', key: ['completion_id'], what: 'Completions from elsewhere' },
  {
    table: 'path_log',
    key: [],
    what: 'Progress of the roll-up of paths',
    notExported: 'It is derived from the events.',
  },
  { table: 'enrolment_key', key: ['key_id'], what: 'Enrolment keys', secrets: ['key_hash'] },
  {
    table: 'earlier_unit',
    key: ['enroll_id', 'number', 'unit_id'],
    what: 'Run-time data of earlier attempts',
    bytes: 'held.bytes',
  },
  { table: 'earlier_attempt', key: ['enroll_id', 'number'], what: 'Earlier attempts and their results' },
  {
    table: 'attempt_unit',
    key: ['enroll_id', 'unit_id'],
    what: 'Run-time data of units',
    // Rows of early versions have no size.
    bytes: 'greatest(held.bytes, pg_column_size(held.data))',
  },
  {
    table: 'attempt',
    key: ['enroll_id'],
    what: 'Bookmarks and activity trees',
    bytes: 'coalesce(octet_length(held.tree_state), 0) + coalesce(octet_length(held.shared), 0)',
  },
  {
    table: 'au_session',
    key: ['enroll_id', 'session_id'],
    what: 'Sessions of units that report through xAPI',
    secrets: ['token_hash'],
  },
  { table: 'launch', key: ['enroll_id', 'number'], what: 'Launches' },
  {
    table: 'enrolment_group',
    key: ['enroll_id', 'group_name'],
    what: 'Further groups of enrolments',
    notExported: 'The users include their groups.',
  },
  { table: 'enrolment', key: ['enroll_id'], what: 'Enrolments and their results' },
  // Must follow the enrolments. Each commit locks its enrolment, so no commits are possible after the
  // enrolments have been deleted.
  {
    table: 'run_time_commit',
    key: ['enroll_id', 'launch', 'number'],
    what: 'Commits',
    secrets: ['body_hash'],
  },
  {
    table: 'statement_match',
    key: ['key', 'position', 'source'],
    what: 'Search index of statements',
    notExported: 'It is derived from the statements.',
  },
  {
    table: 'voided_statement',
    key: ['position'],
    what: 'Which statements are voided',
    notExported: 'The voiding statements are exported.',
  },
  {
    table: 'statement_attachment',
    key: ['statement_id', 'sha2'],
    what: 'Attachments of statements',
    bytes: 'octet_length(held.content)',
  },
  { table: 'statement', key: ['statement_id'], what: 'xAPI statements', bytes: 'held.bytes' },
  {
    table: 'statement_log',
    key: [],
    what: 'Time of the newest statement',
    notExported: 'The statements include these times.',
  },
  {
    table: 'activity_definition',
    key: ['activity_key', 'definition_key'],
    what: 'Definitions of activities',
  },
  {
    table: 'xapi_document',
    key: ['kind', 'agent_key', 'activity_key', 'document_key', 'registration'],
    what: 'xAPI states and profiles',
    bytes: 'octet_length(held.content)',
  },
  { table: 'event', key: ['event_id'], what: 'Events' },
  {
    table: 'event_log',
    key: [],
    what: 'Number of the newest event',
    notExported: 'The events include these numbers.',
  },
  { table: 'tenant_usage', key: ['day'], what: 'Usage by day' },
  // Must follow the event log, because jobs count the events in it.
  {
    table: 'activity_day',
    key: ['kind', 'course_id', 'group_name', 'day'],
    what: 'Activity by day',
  },
  {
    table: 'activity_log',
    key: [],
    what: 'Progress of the counts of activity',
    notExported: 'It is derived from the events.',
  },
  {
    table: 'completion_day',
    key: ['kind', 'course_id', 'group_name', 'day'],
    what: 'Figures of the reports by day',
  },
  {
    table: 'completion_line',
    key: ['kind', 'course_id', 'group_name'],
    what: 'Lines of the reports',
    notExported: 'The figures of the reports include them.',
  },
  {
    table: 'counted_enrolment',
    key: ['enroll_id'],
    what: 'How each enrolment counts in reports',
    notExported: 'It is derived from the events.',
  },
  {
    table: 'access_end',
    key: ['kind', 'course_id', 'group_name', 'day'],
    what: 'When access ends, by day',
    notExported: 'It is derived from the enrolments.',
  },
  {
    table: 'counted_end',
    key: ['enroll_id'],
    what: 'On which day each enrolment ends in reports',
    notExported: 'It is derived from the enrolments.',
  },
  {
    table: 'access_log',
    key: [],
    what: 'Progress of the counts of ends',
    notExported: 'It is derived from the events.',
  },
  {
    table: 'certificate_log',
    key: [],
    what: 'Progress of issuing certificates',
    notExported: 'It is derived from the events.',
  },
  {
    table: 'completion_log',
    key: [],
    what: 'Progress of the reports',
    notExported: 'It is derived from the events.',
  },
  {
    table: 'erasure_enrolment',
    key: ['erasure_id', 'enroll_id'],
    what: 'Enrolments still to be processed by an erasure',
    notExported: 'It exists only while an erasure runs.',
  },
  {
    table: 'erasure_under_way',
    key: ['erasure_id'],
    what: 'Erasures in progress',
    notExported: 'It exists only while an erasure runs.',
  },
  { table: 'erasure', key: ['erasure_id'], what: 'Receipts of erasures', secrets: ['login_mark'] },
  {
    table: 'stored_answer',
    key: ['key_hash'],
    what: 'Stored responses to requests with an Idempotency-Key',
    notExported: 'They are encrypted; only a client that repeats its request can read them.',
  },
  {
    table: 'user_group',
    key: ['login_id', 'group_name'],
    what: 'Further groups of users',
    notExported: 'The users include their groups.',
  },
  { table: 'user', key: ['user_id'], what: 'Users', secrets: ['password_hash'] },
  {
    table: 'tenant_key',
    key: ['key_id'],
    what: 'Keys that sign credentials',
    secrets: ['private_jwk'],
  },
  { table: 'branding', key: [], what: 'Colour and logo' },
  { table: 'api_key', key: ['key_id'], what: 'API keys', secrets: ['secret_hash'] },
  { table: 'audit_entry', key: ['audit_id'], what: 'Audit trail of the tenant' },
  {
    table: 'audit_chain',
    key: [],
    what: 'Head of the audit trail',
    notExported: 'It is the same as in the last entry of the trail.',
  },
];

const upperCase: Record<string, string> = { id: 'ID', ids: 'IDs', url: 'URL' };

/** `webhook_delivery` becomes WebhookDelivery, and `enroll_id` EnrollID. */
export function publicName(name: string): string {
  const words = name.split('_').map((word) => upperCase[word] ?? word[0]?.toUpperCase() + word.slice(1));
  return words.join('');
}
