import type { MailAttachments, MailChecks } from '../domain/mail/kinds.ts';
import { readReminder } from '../domain/reminders/items.ts';
import { attachReport, isStillRecipient } from '../domain/reports/schedules/mails.ts';

/** Conditions that are checked again when an email is sent, which may be long after it was queued. */
export const mailChecks: MailChecks = { reminder: readReminder, report: isStillRecipient };

/** The files that are attached to emails when they are sent. */
export const mailAttachments: MailAttachments = { report: attachReport };
