import { isMailAddress } from '../../platform/mail/address.ts';
import type { Image } from '../../platform/mail/send.ts';
import { toNfkd } from '../../platform/unicode.ts';
import type { MailBranding } from './branding.ts';
import type { MailContent, MailKind, MailReport } from './kinds.ts';
import { type MailStyle, toHtml, toText } from './layout.ts';
import { de } from './texts/de.ts';
import { en } from './texts/en.ts';
import { fr } from './texts/fr.ts';
import type { Texts } from './texts/text.ts';

const languages: Record<string, Texts> = { en, de, fr };

type Input = MailContent & {
  kind: MailKind;
  tenantName: string;
  language: string;
  expiresAt: Date;
  branding?: MailBranding | undefined;
  isAttached?: boolean;
};

const usualButton = { fill: '#2456d6', text: '#ffffff' };
const logoCid = 'logo@lectern';

type Written = { fromName: string; subject: string; text: string; html: string; images: Image[] };

export function writeMail(input: Input): Written {
  const { locale, texts } = languages[input.language] ?? en;
  const tenant = oneLine(input.tenantName);
  const text = texts[input.kind]({
    tenant,
    name: greetingName(input),
    loginId: shownLoginId(input.loginId),
    until: dateText(locale, input.expiresAt),
    course: oneLine(input.enrolment?.courseTitle ?? ''),
    report: oneLine(input.report?.name ?? ''),
    period: input.report ? periodText(locale, input.report) : '',
    isAttached: input.isAttached ?? false,
    at: input.change ? dateText(locale, new Date(input.change.at)) : '',
    isOwn: input.change?.isOwn ?? false,
    isAll: input.change?.isAll ?? false,
  });
  const { url, branding } = input;
  const logo = branding?.logo ?? null;
  const style: MailStyle = {
    name: tenant,
    button: branding?.button ?? usualButton,
    logo: logo && { cid: logoCid, width: logo.width, height: logo.height },
  };
  return {
    fromName: tenant,
    subject: text.subject,
    text: toText(text, url),
    html: toHtml(text, { url, language: input.language, style }),
    images: logo ? [{ cid: logoCid, type: logo.type, content: logo.content }] : [],
  };
}

/** Control characters, line separators, and characters that change the text direction. */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

export function oneLine(text: string): string {
  return text.replaceAll(hidden, ' ').replaceAll(/\s+/g, ' ').trim();
}

const maxName = 80;
/** Text that a mail program would show as a link. */
const link = /[/:<>\\]|[.\u3002]\S/u;
const phoneNumber = /(?:\p{Nd}[\s().+-]*){5}/u;

/** Leaves out a name that a mail program would show as a link, or that reads like a message. */
function greetingName({ firstName, lastName }: MailContent): string | null {
  const name = oneLine([firstName, lastName].filter(Boolean).join(' '));
  const plain = toNfkd(name);
  const isMessage =
    name.length > maxName || link.test(plain) || plain.includes('@') || phoneNumber.test(plain);
  return name === '' || isMessage ? null : name;
}

/** Leaves out a LoginID that is long, has spaces, or would be shown as a link, unless it is an email address. */
function shownLoginId(loginId: string): string | null {
  const name = oneLine(loginId);
  const plain = toNfkd(name);
  if (name.length > maxName || /[\s/]/.test(plain)) return null;
  return isMailAddress(name) || !link.test(plain) ? name : null;
}

/** The days of a report, which are in UTC. */
function periodText(locale: string, { from, to }: Pick<MailReport, 'from' | 'to'>): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const last = new Date(to);
  return from === null || from === to ? format.format(last) : format.formatRange(new Date(from), last);
}

function dateText(locale: string, at: Date): string {
  const format = new Intl.DateTimeFormat(locale, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  return `${format.format(at)} UTC`;
}
