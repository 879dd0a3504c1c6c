import { isStillEnding } from './modules/enrolments/reminders/still-ending.ts';
import type { MailChecks } from './modules/mail/kinds.ts';

/**
 * Conditions that are checked again when an email is sent, which may be long after it was queued.
 */
export const mailChecks: MailChecks = { access_ending: isStillEnding };
