import { deleteOwn, ownRows } from '../../db/own-rows.ts';
import { transaction } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { addDays, dayOf } from '../../lib/days.ts';
import { invalid } from '../../lib/errors.ts';
import { audit } from '../audit/chain.ts';
import type { ReminderWords } from '../mail/kinds.ts';
import { reminderPlaceholders } from '../mail/reminder-text.ts';
import { mailBranding, textsOf, writeMail } from '../mail/write-mail.ts';
import { type Language, languages } from '../tenants/schemas.ts';
import { knownTenant, tenantNotFound } from '../tenants/tenants.ts';
import type { ReminderPreview, ReminderText, ReminderTextChange } from './schemas.ts';

const find = (ctx: TenantContext, language: string) =>
  ownRows(ctx, 'reminder_text', { language }).select(['subject', 'intro', 'closing']).executeTakeFirst();

async function tenantOf(ctx: TenantContext) {
  const tenant = await knownTenant.get(ctx, ctx.tenantId);
  if (!tenant) throw tenantNotFound();
  return tenant;
}

/** The tenant's own words in the language of its emails, if it has any. */
export async function ownWords(ctx: TenantContext): Promise<ReminderWords | null> {
  return (await find(ctx, (await tenantOf(ctx)).Language)) ?? null;
}

const toText = (language: Language, own: ReminderWords | undefined): ReminderText => {
  const { subject, intro, closing } = own ?? textsOf(language).reminder.words;
  return {
    Language: language,
    Subject: subject,
    Intro: intro,
    Closing: closing,
    IsStandard: own === undefined,
  };
};

export async function listTexts(ctx: TenantContext): Promise<ReminderText[]> {
  const texts: ReminderText[] = [];
  for (const language of languages) texts.push(toText(language, await find(ctx, language)));
  return texts;
}

const known: readonly string[] = reminderPlaceholders;

/** Rejects a typo in a placeholder, which learners would see. */
function checkPlaceholders(sent: ReminderTextChange): void {
  for (const [param, text] of Object.entries(sent))
    for (const [whole, name = ''] of (text ?? '').matchAll(/\{([^{}]*)\}/g))
      if (!known.includes(name))
        throw invalid(
          param,
          `${param} contains the unknown placeholder ${whole}. Use one of ${known.map((one) => `{${one}}`).join(', ')}.`,
        );
}

function wordsAfter(
  language: Language,
  before: ReminderWords | undefined,
  sent: ReminderTextChange,
): ReminderWords {
  checkPlaceholders(sent);
  const standard = textsOf(language).reminder.words;
  const choose = (text: string | null | undefined, name: keyof ReminderWords) =>
    text === undefined ? (before ?? standard)[name] : (text ?? standard[name]);
  return {
    subject: choose(sent.Subject, 'subject'),
    intro: choose(sent.Intro, 'intro'),
    closing: choose(sent.Closing, 'closing'),
  };
}

/** Changes the words of reminders in one language. Words that equal the standard ones are not stored. */
export function changeText(
  ctx: TenantContext,
  { language, ...sent }: ReminderTextChange & { language: Language },
): Promise<ReminderText> {
  return transaction(ctx, async (ctx) => {
    const before = await find(ctx, language);
    const words = wordsAfter(language, before, sent);
    const isStandard = JSON.stringify(words) === JSON.stringify(textsOf(language).reminder.words);
    const after = isStandard ? undefined : words;
    if (JSON.stringify(before) === JSON.stringify(after)) return toText(language, before);
    if (after === undefined) await deleteOwn(ctx, 'reminder_text', { language }).execute();
    else
      await ctx.db
        .insertInto('reminder_text')
        .values({ tenant_id: ctx.tenantId, language, ...after })
        .onConflict((conflict) => conflict.columns(['tenant_id', 'language']).doUpdateSet(after))
        .execute();
    await audit(ctx, 'reminder_text.changed', ctx.tenantId, { Language: language });
    return toText(language, after);
  });
}

/** The email as it would be sent, with sample courses and the tenant's colour. Stores nothing. */
export async function previewText(
  ctx: TenantContext,
  { language, ...sent }: ReminderTextChange & { language: Language },
): Promise<ReminderPreview> {
  const words = wordsAfter(language, await find(ctx, language), sent);
  const tenant = await tenantOf(ctx);
  const today = dayOf(ctx.now(), tenant.TimeZone);
  const { subject, text, html } = writeMail({
    ...{
      kind: 'reminder',
      tenantName: tenant.Name,
      language,
      branding: { ...(await mailBranding(ctx)), logo: null },
    },
    ...{ firstName: 'Ada', lastName: 'Lovelace', loginId: 'ada', expiresAt: ctx.now() },
    url: `${ctx.config.baseUrl}/console/`,
    reminder: {
      ...{ isByHand: false, isForManager: false, team: [], words },
      own: [
        { kind: 'overdue', title: 'Fire safety, every year', course: 'Fire safety', day: addDays(today, -7) },
        { kind: 'due', title: 'First aid', day: addDays(today, 14) },
        { kind: 'ends', title: 'Data protection', day: addDays(today, 3) },
      ],
    },
  });
  return { Subject: subject, Text: text, HTML: html };
}
