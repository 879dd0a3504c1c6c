/** The closed list of error codes, each with its HTTP status and title (RFC 9457 `title`). */
export const errorCodes = {
  malformed_request: [400, 'The request could not be read'],
  xapi_invalid: [400, 'The request does not conform to xAPI'],
  unauthorized: [401, 'No valid credentials were sent'],
  session_ambiguous: [400, 'The browser sent several session cookies'],
  signed_out: [401, 'Nobody is signed in'],
  sign_in_failed: [401, 'Sign-in failed'],
  scope_missing: [403, 'The key lacks a scope'],
  operator_only: [403, 'Only the operator may do this'],
  session_required: [403, 'Only a signed-in person may do this'],
  own_only: [403, 'Learners can only access their own data'],
  passkey_required: [403, 'The session needs a passkey'],
  cross_site: [403, 'The request came from another origin'],
  tenant_required: [400, 'No tenant was specified'],
  tenant_not_allowed: [403, 'Only the operator can specify another tenant'],
  cmi5_violation: [403, 'The rules of cmi5 do not allow this'],
  tenant_suspended: [403, 'The tenant is suspended'],
  not_found: [404, 'There is nothing at this URL'],
  method_not_allowed: [405, 'The method is not supported at this URL'],
  user_not_found: [404, 'The user does not exist'],
  course_not_found: [404, 'The course does not exist'],
  release_not_found: [404, 'The release does not exist'],
  option_not_found: [404, 'The enrolment option does not exist'],
  requirement_not_found: [404, 'The requirement does not exist'],
  obligation_not_found: [404, 'The requirement does not concern this user'],
  completion_not_found: [404, 'The completion does not exist'],
  enrolment_not_found: [404, 'The enrolment does not exist'],
  certificate_not_found: [404, 'The certificate does not exist'],
  template_not_found: [404, 'The course has no template'],
  hold_not_found: [404, 'The legal hold does not exist'],
  platform_not_found: [404, 'The platform does not exist'],
  dispatch_not_found: [404, 'The dispatch does not exist'],
  tenant_not_found: [404, 'The tenant does not exist'],
  key_not_found: [404, 'The key does not exist'],
  passkey_not_found: [404, 'The passkey does not exist'],
  schedule_not_found: [404, 'The scheduled report does not exist'],
  webhook_not_found: [404, 'The webhook endpoint does not exist'],
  statement_not_found: [404, 'The statement does not exist'],
  document_not_found: [404, 'The document does not exist'],
  invitation_not_found: [404, 'The invitation does not exist'],
  invitation_ended: [410, 'The invitation no longer works'],
  reset_ended: [410, 'The link to reset the password no longer works'],
  import_not_found: [404, 'The import does not exist'],
  mail_not_found: [404, 'The email does not exist'],
  mail_not_configured: [409, 'Email is not configured'],
  completion_exists: [409, 'A completion with this Reference exists with different data'],
  user_exists: [409, 'The user already exists with different data'],
  user_disabled: [409, 'The user is disabled'],
  multiple_enrolment_options: [409, 'The course has several enrolment options'],
  no_enrolment_option: [409, 'The course has no enrolment option for this user'],
  course_retired: [409, 'The course is retired'],
  course_not_playable: [409, 'The course has no content yet'],
  course_in_use: [409, 'The course has enrolments'],
  option_in_use: [409, 'The enrolment option has enrolments'],
  confirmation_required: [409, 'The change needs a confirmation'],
  already_enrolled: [409, 'The user is already enrolled'],
  not_resettable: [409, 'The enrolment cannot be reset'],
  not_waivable: [409, 'The unit cannot be waived'],
  too_many_enrolments: [409, 'The user has too many enrolments'],
  no_seats_left: [409, 'The enrolment option has no seats left'],
  platform_exists: [409, 'The platform is already registered'],
  tenant_exists: [409, 'The tenant already exists with different data'],
  tenant_not_suspended: [409, 'The tenant is not suspended'],
  not_a_test_tenant: [409, 'The tenant is not a test tenant'],
  tenant_being_deleted: [409, 'The tenant is being deleted'],
  import_not_ready: [409, 'The import cannot do this in its present status'],
  on_legal_hold: [409, 'The person is on legal hold'],
  touched: [409, 'The record is too old, or has been changed or used'],
  in_progress: [409, 'The same request is still in progress'],
  certificate_revoked: [409, 'The certificate was revoked'],
  certificate_not_valid: [409, 'The certificate is not valid'],
  key_redeemed: [409, 'The enrolment key has been redeemed'],
  key_revoked: [409, 'The enrolment key was revoked'],
  key_expired: [409, 'The enrolment key has expired'],
  key_not_yet_valid: [409, 'The enrolment key is not valid yet'],
  key_of_other_user: [409, 'The enrolment key is for another user'],
  key_of_other_group: [409, 'The enrolment key is for another group'],
  statement_conflict: [409, 'The ID belongs to another statement'],
  document_conflict: [409, 'The document already exists'],
  document_limit: [409, 'There are too many documents'],
  storage_limit: [409, 'The enrolment has used up its storage'],
  key_limit: [409, 'There are too many API keys'],
  provider_not_found: [404, 'The identity provider does not exist'],
  provider_limit: [409, 'There are too many identity providers'],
  provider_not_ready: [409, 'The identity provider cannot be required yet'],
  sign_in_unavailable: [409, 'Nobody could sign in'],
  passkey_limit: [409, 'There are too many passkeys'],
  last_passkey: [409, 'The last passkey cannot be removed'],
  passkeys_unavailable: [409, 'Passkeys do not work at this address'],
  schedule_limit: [409, 'There are too many scheduled reports'],
  webhook_limit: [409, 'There are too many webhook endpoints'],
  session_superseded: [409, 'The course was opened elsewhere'],
  session_ended: [410, 'The session has ended'],
  session_exited: [410, 'The learner left the session'],
  access_expired: [403, 'Access to the course has expired'],
  enrolment_withdrawn: [403, 'The enrolment was withdrawn'],
  enrolment_erased: [410, 'The data about the learner was erased'],
  results_too_late: [409, 'The results arrived too late'],
  commit_number_ahead: [409, 'The commit number is taken or too far ahead'],
  commit_base_unknown: [409, 'The commit is based on data that is not stored'],
  precondition_failed: [412, 'The document has changed'],
  request_timeout: [408, 'The request did not arrive in time'],
  payload_too_large: [413, 'The request body is too large'],
  wrong_host: [421, 'The host name does not serve this content'],
  unsupported_media_type: [415, 'The content type is not supported'],
  range_not_satisfiable: [416, 'The requested range is beyond the end of the file'],
  validation_failed: [422, 'A value is not valid'],
  key_mistyped: [422, 'The enrolment key is mistyped'],
  unknown_field: [422, 'The field is unknown'],
  idempotency_key_reused: [422, 'The Idempotency-Key belongs to another request'],
  login_id_immutable: [422, 'A LoginID cannot be changed'],
  password_wrong: [422, 'The current password is wrong'],
  passkey_rejected: [422, 'The passkey was rejected'],
  password_not_hashed: [422, 'The password is not hashed as declared'],
  package_not_zip: [422, 'The file is not a zip archive'],
  package_unsafe: [422, 'The archive is unsafe'],
  package_too_large: [413, 'The archive is too large'],
  package_unreadable: [422, 'The package could not be read'],
  package_invalid: [422, 'The package cannot be played'],
  package_unsupported: [422, 'The package follows a standard that is not supported yet'],
  webhook_address_refused: [422, 'The URL is not allowed'],
  too_many_requests: [429, 'Too many requests'],
  login_throttled: [429, 'Too many wrong passwords'],
  key_throttled: [429, 'Too many unknown enrolment keys'],
  launch_refused: [403, 'The course cannot be started'],
  headers_too_large: [431, 'The URL and headers are too large'],
  internal_error: [500, 'Something went wrong on our side'],
  unavailable: [503, 'The service is temporarily unavailable'],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorCode = keyof typeof errorCodes;

/** Additional members of an error, which are all published in the problem document. */
export type ProblemExtras = {
  /** The field or parameter that caused the error. */
  param?: string;
  /** Seconds until a retry makes sense; sent as `Retry-After`. */
  retryAfter?: number;
  /** The methods that the path supports; sent as `Allow`. */
  allow?: readonly string[];
  [member: string]: unknown;
};

/** The only error that service functions throw. `detail` says what is wrong and what to do. */
export class Problem extends Error {
  readonly code: ErrorCode;
  readonly extras: ProblemExtras;

  constructor(code: ErrorCode, detail: string, extras: ProblemExtras = {}) {
    super(detail);
    this.name = 'Problem';
    this.code = code;
    this.extras = extras;
  }

  get status(): number {
    return errorCodes[this.code][0];
  }
}

/** A value that the schema accepts and the operation does not. */
export const invalid = (param: string, detail: string): Problem =>
  new Problem('validation_failed', detail, { param });

/** The code of a Node.js or PostgreSQL error; empty if it has none. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** The random delay makes clients retry at different times. */
export function overloaded(): Problem {
  const retryAfter = 1 + Math.floor(Math.random() * 3);
  return new Problem('unavailable', 'The service is overloaded. Retry the request.', { retryAfter });
}
