import type { ErrorCode } from '../../server/src/lib/errors.ts';

/** What a reader of the guide can do about each error code. A code without advice does not compile. */
export const errorAdvice: Record<ErrorCode, string> = {
  malformed_request:
    'Send valid JSON in UTF-8, with `Content-Type: application/json`, and percent-encode identifiers in the path.',
  unauthorized:
    'Send `Authorization: Bearer <secret>` with the secret of a key that is neither expired nor revoked. An access token from `/oauth/token` is valid for ten minutes.',
  session_ambiguous: 'Delete the cookies for this host name in the browser and sign in again.',
  signed_out:
    'Sign in again. A session ends after 30 minutes without a request, and at the latest after 12 hours.',
  sign_in_failed:
    'Check the LoginID and the password. A sign-in link works once and expires after a minute; if it has been used or has expired, get a new one.',
  scope_missing: 'Use or create a key that has the scope named in `detail`.',
  operator_only: "Use one of the operator's keys.",
  session_required:
    'Sign in to the console as an administrator. An operator can use `POST /tenant/{TenantID}/key` with a key instead.',
  own_only:
    "A learner's session can only read that learner's own records and redeem enrolment keys for them. Use a key for anything else.",
  passkey_required:
    'Open the console: it asks for the passkey, or lets you add one if you have none. Keys and access tokens need no passkey.',
  cross_site:
    'Session cookies only work on pages of this service. Call the API from your server, with a key.',
  tenant_required: "Send the `TenantID` in the `Tenant` header. Only the operator's keys need this header.",
  tenant_not_allowed: "Leave out the `Tenant` header. A tenant's key always works on its own tenant.",
  cmi5_violation:
    "Correct the AU: the message names the section of the cmi5 specification. These rules do not apply to the tenant's keys.",
  not_a_test_tenant:
    'Use a test tenant. The operator creates one with `POST /tenant` and `"Status": "test"`; a normal tenant cannot become one.',
  tenant_suspended: 'Ask the operator to resume the tenant. Its data is unchanged.',
  not_found: 'Check the path and the method against the API reference.',
  method_not_allowed:
    'The path exists, but does not support this method. Use one of the methods in the `Allow` header.',
  user_not_found: 'Check the `LoginID`: it is case-sensitive. Create the user if it does not exist.',
  course_not_found: 'Check the `CourseID`, and whether the operator offers the course to your tenant.',
  release_not_found: 'List the releases of the course and use one of their numbers.',
  option_not_found: 'Read the course to see which options are available to this user.',
  requirement_not_found: 'List the requirements with `GET /requirement`.',
  completion_not_found: 'List the completions from elsewhere with `GET /completion`.',
  obligation_not_found:
    "List the user's obligations with `GET /obligation/{LoginID}`, and ask `GET /obligation/{LoginID}/{RequirementID}/explain` why there is none.",
  confirmation_required:
    'Send the request with `?Plan=true` to see what it would change, then with `?Confirm=` and the `Count` of this error.',
  enrolment_not_found: 'Check that the `EnrollID` belongs to this `LoginID`.',
  certificate_not_found:
    'Check the number, or whether the enrolment has a result that earns a certificate. A course without `Certificate` and without a template issues none.',
  template_not_found:
    'The certificates of the course follow its `Certificate`. Create a template with `PUT /certificate/template/{CourseID}`.',
  hold_not_found: 'List the legal holds with `GET /hold`.',
  on_legal_hold: 'Read the holds with `GET /hold?LoginID=`, and release them once the data may be erased.',
  platform_not_found: 'List platforms and check the `PlatformID`.',
  dispatch_not_found: 'List dispatches and check the `DispatchID`.',
  tenant_not_found: 'List tenants and check the `TenantID`.',
  key_not_found:
    'Check the `KeyID` or the enrolment key. A typing error in an enrolment key usually returns `key_mistyped` instead.',
  passkey_not_found: 'List the passkeys and check the `PasskeyID`.',
  provider_not_found: 'List identity providers and check the `ProviderID`.',
  provider_limit: 'Delete an identity provider that nobody uses.',
  sign_in_unavailable: 'Enable an identity provider, or do not require a sign-in for launch links.',
  provider_not_ready: 'Add a passkey for at least one administrator, then require the provider.',
  import_not_found: 'List imports and check the `ImportID`. Imports are deleted after 30 days.',
  import_not_ready: 'Read the import again, and wait until its `Status` allows the operation.',
  schedule_not_found: 'List scheduled reports and check the `ScheduleID`.',
  webhook_not_found: 'List webhook endpoints and check the `WebhookID`.',
  invitation_not_found:
    'Create an invitation with `POST /invitation`. If you are handling an event about an older invitation, ignore it: there is a newer event.',
  invitation_ended:
    'Create another invitation with `POST /invitation`. A user who has already accepted the invitation can sign in with the password.',
  reset_ended: 'Request another link on the sign-in page. It works once and expires after an hour.',
  mail_not_found:
    'Ignore this bounce: the email was sent by another system, or more than 90 days ago to a user whose address has changed since.',
  mail_not_configured:
    'The operator has not set `SMTP_URL`. Invite the user with `POST /invitation`, and send them the link yourself.',
  completion_exists:
    'A completion has this `Reference`; `differs` lists the fields that differ. Send another one, or delete that completion with a reason.',
  user_exists:
    'Another user has this `LoginID`; `differs` lists the fields that differ. To change the user, set `IfExists` to `update` or use `PUT /user/{LoginID}`.',
  user_disabled: 'Enable the user (`"Enabled": true`) before you enrol them.',
  multiple_enrolment_options: 'Choose one of `AvailableEnrolOptions` and send the request to its `Path`.',
  no_enrolment_option:
    "Ask the operator to add an option to the course, or to make one available to the user's group.",
  course_retired: 'The course accepts no new enrolments. Current enrolments continue.',
  course_not_playable: 'Ask the operator to import a package, or to set the `URL` of the course.',
  course_in_use:
    'Retire the course instead: `{"Status":"retired"}`. Remove a part of a path from the path first.',
  option_in_use: 'Retire the option instead: `{"Status":"retired"}`.',
  already_enrolled:
    'The user has a current enrolment and `IfEnrolled` is `fail`. Use `return`, `extend` or `renew`.',
  not_resettable: 'Enrol the user again with `IfEnrolled` set to `renew`.',
  not_waivable: 'Only AUs of cmi5 courses can be waived, after the learner has opened the course once.',
  too_many_enrolments:
    'A user can have 2,000 enrolments, including ended ones. Send `IfEnrolled: extend` to extend one of them instead of creating another.',
  no_seats_left:
    'Ask the operator for more `Seats`, or withdraw an enrolment that is still within the grace period.',
  touched:
    'Keep the record, or remove it without `untouched` or `IfUntouched`. `reason` is `older`, `changed`, `used` or `enrolled`. If it is `enrolled`, withdraw the enrolments first.',
  platform_exists:
    'A deployment belongs to one tenant only, and all tenants that share a client use the same URLs. The message says which field to change.',
  tenant_exists: 'Change the tenant with `PUT /tenant/{TenantID}`.',
  tenant_not_suspended: 'Suspend the tenant before you delete it.',
  tenant_being_deleted: 'Wait until the deletion is finished, or choose another `TenantID`.',
  in_progress:
    'Wait for the number of seconds in `Retry-After`, then retry the same request with the same key.',
  certificate_revoked:
    'Read the certificate. If it was revoked by mistake, issue a corrected one with `POST /certificate/{Number}/reissue`.',
  certificate_not_valid: 'Only valid certificates can be added to a wallet. Its `Status` says why it is not.',
  key_redeemed: 'Use another enrolment key. If this user has redeemed it before, they are already enrolled.',
  key_revoked: 'Issue another enrolment key.',
  key_expired: 'Issue another enrolment key.',
  key_not_yet_valid: 'Redeem the key after the time given in `detail`.',
  key_of_other_user: 'Redeem the key for the user it was issued for.',
  key_of_other_group: 'Redeem the key for a user in the group it was issued for.',
  key_limit: 'Revoke keys that are no longer used. The list shows when each key was last used.',
  passkey_limit: 'Remove a passkey that you no longer use.',
  last_passkey: 'Add another passkey first, then remove this one.',
  passkeys_unavailable:
    'Set `BASE_URL` to an origin with a host name, such as `https://lms.example`, and open the console there. `http://localhost` works too; IP addresses do not.',
  schedule_limit: 'Delete a scheduled report that you no longer need.',
  webhook_limit: 'Delete an endpoint that you no longer use.',
  session_superseded: 'Continue in the window that was opened last, or reopen the course here.',
  session_ended: 'Open the course again with its `LaunchURL`.',
  session_exited: 'Open the course again with its `LaunchURL`.',
  access_expired: 'Extend or renew the enrolment, then open the course again.',
  enrolment_withdrawn: 'Set `Withdrawn` to `false` to restore access.',
  enrolment_erased: 'The personal data of this learner was erased, so no results can be stored.',
  results_too_late:
    'The results arrived more than `LATE_RESULTS_DAYS` days after the session ended. Record them with an override.',
  commit_number_ahead:
    'Reload the player. The player then numbers its commits from the last one that was stored.',
  commit_base_unknown: 'Send the commit with the same number, all data and without `Base`.',
  request_timeout: 'Send the whole body within 30 seconds. Use a bulk call for large inputs.',
  payload_too_large: 'Send less in one request. `detail` names the limit.',
  wrong_host:
    'Content is served only at its own host name. Check that `CONTENT_URL` is correct and that the proxy passes on `Host`.',
  unsupported_media_type: 'Send the content type named in `detail`.',
  range_not_satisfiable: 'Request a range within the size of the file, or the whole file.',
  validation_failed: '`param` names the field; `detail` says what it must be.',
  key_mistyped: 'A character of the enrolment key is wrong. Ask the learner to check it.',
  unknown_field: '`param` names a field that does not exist. Check its spelling, including capitals.',
  idempotency_key_reused:
    'Reuse an `Idempotency-Key` only to retry the same request. Use a new one for each different request.',
  login_id_immutable: 'Erase this user and create another, or keep the `LoginID`.',
  password_wrong:
    'Type the current password again. A user who has forgotten it needs an invitation from an administrator.',
  passkey_rejected:
    'Get a new challenge and try again. A challenge can be used once, within five minutes, by the session that asked for it, with a passkey of the same account.',
  password_not_hashed:
    'Hash the password with the function that the tenant declared in `PasswordHash` before you send it.',
  package_not_zip: 'Upload the course as a zip file.',
  package_unsafe: 'Remove the entry named in `detail` and create the zip again.',
  package_too_large:
    'Make the package smaller, or ask the operator to raise `PACKAGE_BYTES`. If the course has too many units or rules, split it.',
  package_unreadable: 'The file is damaged or encrypted. Create the zip again.',
  package_invalid: 'Correct the line named in `detail`, or export the course again.',
  package_unsupported: 'Export the course as SCORM, cmi5 or xAPI.',
  webhook_address_refused:
    'Use a public `https` address. The operator can allow others with `WEBHOOK_ALLOW`.',
  too_many_requests: 'Wait for the number of seconds in `Retry-After`. Use bulk calls for many rows.',
  login_throttled:
    'Wait for the number of seconds in `Retry-After`: ten wrong passwords block a user for up to 15 minutes.',
  key_throttled:
    'Wait for the number of seconds in `Retry-After`: ten unknown keys block a user for up to 15 minutes.',
  launch_refused:
    'The page says why. `GET /enrolment/{LoginID}/{EnrollID}/explain` shows the rule that failed.',
  xapi_invalid:
    'The error names the property or parameter, and says what xAPI allows there. Correct the value before you send the request again.',
  statement_not_found: 'Check the ID. To read a voided statement, use `voidedStatementId`.',
  statement_conflict: 'Send the statement with a new ID, or void the stored one and send a corrected one.',
  document_not_found: 'Check the ID, and the agent, activity and registration that it belongs to.',
  document_conflict: 'Read the document, and repeat the request with its `ETag` in `If-Match`.',
  document_limit: 'Delete documents that are no longer needed, or store several values in one document.',
  storage_limit:
    'The units of an enrolment can store at most 64 MiB through xAPI. The course should replace its documents instead of adding new ones.',
  precondition_failed: 'Read the document again, apply the change to it, and send its `ETag` in `If-Match`.',
  headers_too_large: 'Delete the cookies for this host name, or shorten the URL.',
  internal_error: 'Retry the request. If it fails again, send the `request_id` to the operator.',
  unavailable: 'Wait for the number of seconds in `Retry-After` and retry the request.',
};
